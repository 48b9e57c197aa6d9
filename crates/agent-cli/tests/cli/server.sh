# A server that speaks MCP of 2025-06-18 and misbehaves as its argument says.
mode=$1

# The id of a request.
number() { printf '%s\n' "$1" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$1" "$2" "$3"; }
says() { printf '{"content":[{"type":"text","text":"%s"}]}' "$1"; }
# A line of 100 MB.
huge() { head -c 104857600 /dev/zero | tr '\0' x; echo; }

# What became of it is told beside the script.
echo started >> "$0.log"
says=$(cat "$0.says" 2>/dev/null || echo 'Says something.')

echo_tool='{"name":"echo","description":"'$says'","inputSchema":{"type":"object"}}'
other_tool='{"name":"other","inputSchema":{"type":"object"}}'

case $mode in
    crash-at-start) echo 'no licence' >&2; exit 3 ;;
    hang-at-start) sleep 300 ;;
    noise-at-start) echo 'Hello, I am a server!' ;;
    only-noise) echo 'Booting'; sleep 300 ;;
    huge-at-start) huge ;;
    closes-its-output) exec >&-; sleep 300 ;;
    floods-stderr) head -c 20000000 /dev/zero | tr '\0' y >&2; echo done >&2 ;;
    lingering-child) (setsid sleep 300 >/dev/null 2>&1 &) ;;
    ignores-term) trap '' TERM ;;
esac

lists=0
while read -r line; do
    id=$(number "$line")
    case $line in
        *'"method":"server/discover"'*)
            echo discovered >> "$0.log"
            case $mode in
                late)
                    [ -e "$0.late" ] || { : > "$0.late"; sleep 11; }
                    answer "$id" '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}' ;;
                *) refuse "$id" -32601 'no such method' ;;
            esac ;;
        *'"method":"initialize"'*)
            version=2025-06-18
            [ "$mode" = wrong-version ] && version=1999-01-01
            greeting='{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
            case $mode in
                wrong-id) answer 4711 "$greeting" ;;
                no-greeting) answer "$id" '{"nothing":true}' ;;
                refuses-greeting) refuse "$id" -32603 'not today' ;;
                half-a-message) printf '{"jsonrpc":"2.0","id":'; exit 0 ;;
                *) answer "$id" "$greeting" ;;
            esac ;;
        *'"method":"tools/list"'*)
            lists=$((lists + 1))
            case $mode in
                dies-in-list) exit 4 ;;
                hangs-in-list) sleep 300 ;;
                two-of-a-name) answer "$id" '{"tools":['"$echo_tool,$echo_tool"']}' ;;
                bad-schema) answer "$id" '{"tools":['"$echo_tool"',{"name":"bad","inputSchema":{"type":"string"}}]}' ;;
                late) answer "$id" '{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":['"$echo_tool"']}' ;;
                many)
                    tools=$echo_tool
                    for n in $(seq 120); do
                        tools="$tools,"'{"name":"tool'$n'","description":"Does '$n'.\nWhat more there is to say of it takes a while, and another while, and one more.","inputSchema":{"type":"object","properties":{"amount":{"type":"integer","description":"How much of it"}}}}'
                    done
                    answer "$id" '{"tools":['"$tools"']}' ;;
                no-tools) answer "$id" '{"tools":[]}' ;;
                endless-list) answer "$id" '{"tools":['"$echo_tool"'],"nextCursor":"'$lists'"}' ;;
                list-changes)
                    answer "$id" '{"tools":['"$echo_tool"']}'
                    echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' ;;
                *) answer "$id" '{"tools":['"$echo_tool,$other_tool"']}' ;;
            esac ;;
        *'"method":"tools/call"'*)
            case $mode in
                dies-in-call) echo 'out of memory' >&2; exit 9 ;;
                dies-once) [ -e died ] || { : > died; exit 9; }; answer "$id" "$(says 'alive again')" ;;
                hangs-in-call) sleep 300 ;;
                huge-in-call) huge ;;
                noise-in-call) echo 'debug: called'; answer "$id" "$(says fine)" ;;
                error-in-call) refuse "$id" -32602 'no such thing' ;;
                tool-error) answer "$id" '{"content":[{"type":"text","text":"it is broken"}],"isError":true}' ;;
                odd-result) answer "$id" 3 ;;
                image) answer "$id" '{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}' ;;
                asks-back)
                    echo '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}'
                    read -r line
                    case $line in *'"error"'*) answer "$id" "$(says refused)" ;; *) answer "$id" "$(says granted)" ;; esac ;;
                shows-environment) answer "$id" "$(says "key=$OPENAI_API_KEY token=$TOKEN")" ;;
                late) answer "$id" '{"resultType":"complete","content":[{"type":"text","text":"well"}]}' ;;
                *) answer "$id" "$(says well)" ;;
            esac ;;
    esac
done

case $mode in
    ignores-the-end | ignores-term) while :; do sleep 1; done ;;
esac
