"""An outpost that lies: what its one argument says. It speaks the channel as any other program could.

On its standard input and output are frames: a length, a kind (1 control, 2 piece, 3 last), a payload and a newline. The
payload is a stream (1 outpost, 2 worker, 3 log, 4 end, 5 file), an epoch, a name with its length, and what is said.
"""

import json
import os
import struct
import sys
import threading
import time

PREAMBLE = b"\x89ORCH\r\n\x1a"
CONTROL, PIECE, LAST = 1, 2, 3
OUTPOST, WORKER, LOG, END, FILE = 1, 2, 3, 4, 5
lock = threading.Lock()
epoch = 0


def write(data):
    with lock:
        while data:
            data = data[os.write(1, data):]


def frame(payload, kind=CONTROL, stream=OUTPOST, name=b"", of=None):
    head = struct.pack(">BIB", stream, epoch if of is None else of, len(name)) + name
    payload = head + payload
    return struct.pack(">IB", len(payload), kind) + payload + b"\n"


def say(case, *values, kind=CONTROL, of=None, **named):
    """Says something of the outpost itself."""
    fields = {f"_{index}": value for index, value in enumerate(values)} | named
    write(frame(json.dumps({case: fields}).encode(), kind=kind, of=of))


def read_exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def hear():
    """The next frame: its stream, name and payload."""
    global epoch
    length, kind = struct.unpack(">IB", read_exactly(5))
    payload = read_exactly(length + 1)[:-1]
    stream, epoch, count = struct.unpack(">BIB", payload[:6])
    return stream, kind, payload[6:6 + count].decode(), payload[6 + count:]


def messages():
    """What is said to the outpost itself, as pairs of a case and its fields."""
    parts = b""
    while True:
        stream, kind, _, payload = hear()
        if stream != OUTPOST:
            continue
        if kind == CONTROL:
            data = payload
        else:
            parts += payload
            if kind == PIECE:
                continue
            data, parts = parts, b""
        yield next(iter(json.loads(data).items()))


def until(case):
    """Waits for a message, and claims to have all files that are offered before it."""
    for found, fields in messages():
        if found == case:
            return fields
        if found == "offer":
            say("has", hash=fields["_0"]["hash"])


def say_greeting(**changes):
    machine = json.loads(os.environ["OUTPOST_MACHINE"]) | {"pid": os.getpid()} | changes
    say("greeting", machine, kind=LAST)


def greet(**changes):
    write(PREAMBLE)
    say_greeting(**changes)


def attend():
    """Obeys the end, as an honest outpost does, and answers nothing else."""
    for found, _ in messages():
        if found == "shutdown":
            say("farewell", kind=LAST)
            os._exit(0)


def begin(attends=True):
    greet()
    until("begin")
    say("begun")
    if attends:
        in_background(attend)


def beat(count=10**9, pause=0.02):
    for number in range(1, count + 1):
        say("beat", number)
        time.sleep(pause)


def in_background(work, *arguments):
    threading.Thread(target=work, args=arguments, daemon=True).start()


def begin_beating():
    """Begins, and beats from then on, so that silence is not what ends it."""
    begin()
    in_background(beat)


def until_offer():
    """Waits for a file to be offered, and returns its hash."""
    for found, fields in messages():
        if found == "offer":
            return fields["_0"]["hash"]


def run_of(fields):
    return fields["_0"]["configuration"]["run"]


def silence():
    """Reads nothing more into anything, and ends with its input."""
    while True:
        read_exactly(1)


def idle():
    time.sleep(600)


def launched(pretend):
    """Becomes a proper outpost, up to its first launch, and then does something else."""
    begin(attends=False)
    in_background(beat)
    run = run_of(until("launch"))
    in_background(attend)
    pretend(run)
    time.sleep(600)


def flood(kind, stream, name=b"", payload=b"x" * 60000):
    while True:
        write(frame(payload, kind=kind, stream=stream, name=name))


def full_disk():
    """Wants a file, of which it can keep nothing, and takes no more of it."""
    begin(attends=False)
    in_background(beat)
    offered = until_offer()
    say("wants", hash=offered)
    while hear()[0] != FILE:
        pass
    say("notKept", hash=offered, problem="No space left on device", kind=LAST)
    attend()


WAYS = {
    # Before the greeting.
    "no preamble": lambda: (write(os.urandom(1 << 20).replace(b"\x89", b"")), silence()),
    "exits well": lambda: sys.exit(0),
    "exits badly": lambda: (print("Permission denied (publickey).", file=sys.stderr), sys.exit(255)),
    "says nothing": silence,
    "banner": lambda: (write(b"Welcome!\r\n" * 100), begin(), beat()),
    # In the greeting.
    "other version": lambda: (greet(version=99), silence()),
    "other build": lambda: (greet(fingerprint="0" * 40), silence()),
    "fewer features": lambda: (greet(features=[]), silence()),
    "impossible machine": lambda: (greet(cores=-1), silence()),
    "long words": lambda: (greet(system="x" * 60000), silence()),
    "control greeting": lambda: (write(PREAMBLE + frame(b'{"begun":{}}')), silence()),
    # After it.
    "never begins": lambda: (greet(), silence()),
    "unable": lambda: (greet(), until("begin"), say("unable", "no room", kind=LAST), sys.exit(1)),
    "falls silent": lambda: (begin(), beat(5), idle()),
    "garbage": lambda: (begin_beating(), write(os.urandom(4096)), idle()),
    "long frame": lambda: (begin_beating(), write(struct.pack(">IB", 1 << 30, LAST)), idle()),
    "long control": lambda: (begin_beating(), write(frame(b"x" * 2000)), idle()),
    "unknown stream": lambda: (begin_beating(), write(frame(b"{}", stream=77)), idle()),
    "unknown message": lambda: (begin_beating(), say("surrender"), idle()),
    "no JSON": lambda: (begin_beating(), write(frame(b"{")), idle()),
    "endless message": lambda: (begin(), flood(PIECE, OUTPOST)),
    "second greeting": lambda: (begin_beating(), say_greeting(), idle()),
    "old epoch": lambda: (begin_beating(), say("beat", 1, of=(epoch - 1) & 0xFFFFFFFF), idle()),
    "unasked worker": lambda: (begin(), say("launched", "x-1", pid=5, **{"as": "x-1"}), idle()),
    "impossible pid": lambda: launched(lambda run: say("launched", run, pid=-1, **{"as": run})),
    "takes nothing of a file": lambda: (begin(attends=False), in_background(beat),
                                         say("wants", hash=until_offer()), idle()),
    "full disk": full_disk,
    "worker with a path": lambda: launched(lambda run: say("launched", run, pid=5, **{"as": "../" + run})),
    "worker with a log of others": lambda: launched(
        lambda run: (say("launched", run, pid=5, **{"as": "neighbor-1"}),
                     write(frame(b"lies\n", kind=LAST, stream=LOG, name=b"neighbor-1")))),
    "log of others": lambda: (begin(), write(frame(b"lies\n", kind=LAST, stream=LOG, name=b"neighbor-1")), beat()),
    "log with a path": lambda: (begin(), write(frame(b"lies\n", kind=LAST, stream=LOG, name=b"../stolen")), beat()),
    "credit without end": lambda: (begin(), [say("credit", "", (1 << 62)) for _ in range(9)], beat()),
    # Floods, which end nothing but it: the other workers of the coordinator go on.
    "floods beats": lambda: (begin(), [say("beat", n) for n in range(10**7)]),
    "floods a log": lambda: launched(
        lambda run: (say("launched", run, pid=5, **{"as": run}), flood(LAST, LOG, run.encode()))),
    "floods a worker": lambda: launched(
        lambda run: (say("launched", run, pid=5, **{"as": run}), flood(PIECE, WORKER, run.encode()))),
    "floods strangers": lambda: (begin(), flood(LAST, LOG, b"title-1")),
    "worker that greets twice": lambda: launched(
        lambda run: (say("launched", run, pid=5, **{"as": run}), [
            write(frame(b'{"greeting":{"_0":{"fingerprint":"a","pid":5,"version":1}}}',
                        stream=WORKER, name=run.encode())) for _ in range(2)])),
    "worker without an end": lambda: launched(
        lambda run: (say("launched", run, pid=5, **{"as": run}),
                     write(frame(b"{}", kind=LAST, stream=END, name=run.encode())))),
}

if sys.argv[1] == "ways":
    print("\n".join(WAYS))
else:
    try:
        WAYS[sys.argv[1]]()
    except BrokenPipeError:
        pass
