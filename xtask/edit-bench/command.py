"""A command that answers one JSON line with one JSON line, and what it is asked."""

import json
import os
import select
import subprocess
import time

# The tool that is asked in the `tool` dialect, by format.
SKETCH_TOOL, PATCH_TOOL = "merge_sketch", "merge_patch"


def plain_request(item, path, original, fmt):
    """{"id", "path", "format", "instructions", "original", "sketch" | "patch"}"""
    request = {"id": item["id"], "path": path, "format": fmt,
               "instructions": item["instructions"], "original": original}
    if fmt == "sketch":
        return {**request, "sketch": item["sketch"]}
    return {**request, "patch": item["peers"][fmt]}


def tool_request(item, path, original, fmt):
    """{"id", "tool", "params"}"""
    params = {"path": path, "original": original}
    if fmt == "sketch":
        return {"id": item["id"], "tool": SKETCH_TOOL,
                "params": {**params, "sketch": item["sketch"]}}
    return {"id": item["id"], "tool": PATCH_TOOL,
            "params": {**params, "format": fmt, "patch": item["peers"][fmt]}}


REQUEST = {"plain": plain_request, "tool": tool_request}


def read_answer(line, item, dialect):
    """-> (status, content); the status is "error" where the answer is none."""
    try:
        answer = json.loads(line or b"")
        if answer.get("id") != item["id"]:
            return "error", None
        if dialect == "tool":
            answer = answer["result"]
        status = answer.get("status")
        return (status if status in ("applied", "declined") else "error"), answer.get("content")
    except (ValueError, KeyError, AttributeError):
        return "error", None


class Command:
    """The command as a filter: started once, and again when it ends or hangs."""

    def __init__(self, argv, timeout):
        self.argv, self.timeout = argv, timeout
        self.process, self.buffer, self.starts = None, b"", 0

    def ask(self, line):
        """-> (answer line or None, seconds)"""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, bufsize=0)
            self.buffer = b""
            self.starts += 1
        begun = time.perf_counter()
        try:
            answer = self._exchange(memoryview(line), begun + self.timeout)
        except OSError:
            answer = None
        seconds = time.perf_counter() - begun
        if answer is None:
            self.process.kill()
            self.process.wait()
            self.process = None
        return answer, seconds

    def _exchange(self, line, end):
        to, answers = self.process.stdin.fileno(), self.process.stdout.fileno()
        while line:
            line = line[os.write(to, line[:65536]):]
        while b"\n" not in self.buffer:
            left = end - time.perf_counter()
            if left <= 0 or not select.select([answers], [], [], left)[0]:
                return None
            got = os.read(answers, 1 << 20)
            if not got:
                return None
            self.buffer += got
        answer, _, self.buffer = self.buffer.partition(b"\n")
        return answer

    def processor_seconds(self):
        """Processor time of the running command and its children."""
        try:
            with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as f:
                fields = f.read().rsplit(") ", 1)[1].split()
            return sum(int(x) for x in fields[11:15]) / os.sysconf("SC_CLK_TCK")
        except (OSError, AttributeError, IndexError):
            return 0.0

    def stop(self):
        if self.process is None:
            return
        self.process.stdin.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
