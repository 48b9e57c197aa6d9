"""A model in a loop with two tools, and nothing else: no record, no checks, no retries."""

import http.client
import json
import os
import sys
from urllib.parse import urlsplit


def tool(name, description, **parameters):
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }


TOOLS = [
    tool("read_file", "Read lines of a file.", target_file="string", start_line="integer", end_line="integer"),
    tool("edit_line", "Replace a line of a file.", target_file="string", line="integer", text="string"),
]


def read_file(target_file, start_line, end_line):
    with open(target_file) as file:
        return "".join(file.readlines()[start_line - 1 : end_line])


def edit_line(target_file, line, text):
    with open(target_file) as file:
        lines = file.readlines()
    lines[line - 1] = text + "\n"
    with open(target_file + ".new", "w") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    os.replace(target_file + ".new", target_file)
    return "done"


def ask(connection, path, messages):
    head = {"model": "scripted", "stream": True, "stream_options": {"include_usage": True}, "tools": TOOLS}
    body = json.dumps(head | {"messages": messages})
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    calls, words = {}, ""
    for line in connection.getresponse():
        if not line.startswith(b"data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            delta = choice.get("delta") or {}
            words += delta.get("content") or ""
            for piece in delta.get("tool_calls") or []:
                call = calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] = piece.get("id") or call["id"]
                function = piece.get("function") or {}
                call["name"] += function.get("name") or ""
                call["arguments"] += function.get("arguments") or ""
    return words, list(calls.values())


def main(url, task):
    url = urlsplit(url)
    connection = http.client.HTTPConnection(url.hostname, url.port)
    messages = [{"role": "user", "content": task}]
    while True:
        words, calls = ask(connection, url.path + "/chat/completions", messages)
        if not calls:
            print(words)
            return
        made = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls
        ]
        messages.append({"role": "assistant", "content": words, "tool_calls": made})
        for call in calls:
            run = {"read_file": read_file, "edit_line": edit_line}[call["name"]]
            result = run(**json.loads(call["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


main(*sys.argv[1:])
