"""What the tools share that draw runs at random: their options, and a loop that
takes a seed after the other until enough ran.

    arguments = parse(options(__doc__))
    ran, batches, failed = run_all(arguments, attempt)
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import tempfile
import time

DEVICES = ("host", "emulator", "cuda")


def options(description, count, devices, meaning):
    """A parser of what all of them take; `meaning` is that of --devices."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="after which nothing more is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--devices", default=devices, help=meaning)
    parser.add_argument("--element", help="of all tensors, instead of any")
    parser.add_argument("--keep", help="folder for what differs")
    return parser


def parse(parser):
    arguments = parser.parse_args()
    for device in arguments.devices.split(","):
        if device not in DEVICES:
            parser.error(f"--devices: expected {', '.join(DEVICES)} but got "
                         f"'{device}'")
    return arguments


def tool(arguments, name):
    return str(pathlib.Path(arguments.build) / "bin" / name)


def run_all(arguments, attempt):
    """Calls attempt(seed, folder), which says how much it ran and a text for each
    failure, and prints these. Returns how much ran, in how many calls, and how
    much failed."""
    folder = pathlib.Path(arguments.keep or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    begin, ran, batches, failed = time.time(), 0, 0, 0
    running = collections.deque()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while True:
            while (len(running) < arguments.jobs and ran < arguments.count
                   and time.time() - begin < arguments.seconds):
                # Each batch has a seed of its own, which is its name.
                running.append(pool.submit(
                    attempt, arguments.seed * 1000003 + batches, folder))
                batches += 1
            if not running:
                break
            plans, differ = running.popleft().result()
            ran += plans
            failed += len(differ)
            for why in differ:
                print(why, flush=True)
    return ran, batches, failed
