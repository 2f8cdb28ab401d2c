"""What tests/tour/corpus does to a cluster of `sippar cluster up`: one method for each kind of trouble.

Each method ends when all is served again, by fewer servers where some were killed or frozen; then `cluster up` starts
what has ended. SPDX-License-Identifier: Apache-2.0
"""
import os
import signal
import time

from tour_parts import Failed

KINDS = ["kill", "kill two", "kill METADATA's server", "freeze", "freeze for a moment", "freeze one, kill one",
         "move", "drain", "kill master", "freeze master", "kill master and server", "balance"]
TABLES = ["kept", "pages", "readings", "web"]


def pid_of(home, name):
    with open(f"{home}/pids/{name}", encoding="ascii") as file:
        return int(file.read())


def send(home, name, kind):
    try:
        os.kill(pid_of(home, name), getattr(signal, f"SIG{kind}"))
    except ProcessLookupError:
        pass


def has_ended(pid):
    """A process that has ended and whose parent has not noticed has no command line."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return not file.read()
    except OSError:
        return True


def show_logs(home):
    for name in sorted(os.listdir(f"{home}/log")) if os.path.isdir(f"{home}/log") else []:
        with open(f"{home}/log/{name}", encoding="utf-8", errors="replace") as log:
            lines = [line for line in log if not line.startswith("\tat ")]  # of Java's stacks
            print(f"--- {name}\n{''.join(lines[-12:])}", flush=True)


class Troubles:
    """`servers` is the number of tablet servers, ts1 to tsN; `askers` are the clients whose waits are reported."""

    def __init__(self, sippar, target, home, servers, chance, askers):
        self.sippar, self.target, self.home, self.chance, self.askers = sippar, target, home, chance, askers
        self.names = [f"ts{number}" for number in range(1, servers + 1)]
        self.begun = time.monotonic()
        self.figures = {}  # by kind: begin and end of each time, on the monotonic clock

    def make(self, kind):
        time.sleep(self.chance.uniform(0.2, 1.5))
        begun = time.monotonic()
        said = getattr(self, kind.replace(" ", "_").replace(",", "").replace("'s", "").lower())()
        ended = time.monotonic()
        print(f"{begun - self.begun:6.1f} s: {kind}: {said}; {ended - begun:.2f} s", flush=True)
        self.figures.setdefault(kind, []).append((begun, ended))
        self.sippar.check("cluster", "up", self.home)

    def report(self):
        """Call it when the clients have ended. A wait counts for the trouble in which it began or ended."""
        for kind, found in sorted(self.figures.items()):
            waits = ", ".join(f"{asker.name} {max(asker.longest(*span) for span in found):.2f}"
                              for asker in self.askers)
            print(f"{kind}: {len(found)} times, {max(ended - begun for begun, ended in found):.2f} s until served; "
                  f"longest waits of clients: {waits}", flush=True)

    # --- what the methods below are made of

    def await_that(self, what, holds, seconds=60):
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                servers = ", ".join(f"{each['name']} {each['pid']} {each['state']}" for each in self.servers())
                raise Failed(f"not after {seconds} s: {what}; servers: {servers}")
            time.sleep(0.1)

    def await_served(self, by):
        done = self.sippar.run("admin", "wait", self.target, "--servers", str(by), "--timeout", "60s")
        if done.returncode != 0:
            raise Failed(f"not served by {by} servers in 60 s: {done.stdout}{done.stderr}")

    def strike(self, names, kind):
        for name in names:
            send(self.home, name, kind)

    def some(self, count):
        return self.chance.sample(self.names, count)

    def servers(self):
        return self.sippar.status(self.target)["servers"]

    def reigning(self):
        return self.sippar.status(self.target)["master"]["name"]

    def lose(self, names, kind="KILL", also=()):
        """The servers end, or freeze, and their tablets are served by the others."""
        pids = [pid_of(self.home, name) for name in names]
        self.strike([*names, *also], kind)
        self.await_lost(pids)
        return " ".join([*names, *also])

    def await_lost(self, pids):
        """Until the master has given up these processes, also those that are only silent at first."""
        self.await_that(f"processes {pids} are taken for dead", lambda: not any(
            server["pid"] in pids and server["state"] != "recovering" for server in self.servers()))
        self.await_served(len(self.names) - len(pids))

    # --- the kinds

    def kill(self):
        return self.lose(self.some(1))

    def kill_two(self):
        return self.lose(self.some(2))

    def kill_metadata_server(self):
        tablets = self.sippar.objects("admin", "tablets", self.target, "METADATA")
        return self.lose([self.chance.choice(tablets)["server"].split(".")[0]])

    def freeze(self):
        names = self.some(1)
        pid = pid_of(self.home, names[0])
        said = self.lose(names, "STOP")
        self.strike(names, "CONT")
        self.await_that(f"{said} ends, which was frozen past its lease", lambda: has_ended(pid))
        return said

    def freeze_for_a_moment(self):
        names = self.some(1)
        pid = pid_of(self.home, names[0])
        self.strike(names, "STOP")
        time.sleep(1.5)
        self.strike(names, "CONT")
        self.await_served(len(self.names))
        if has_ended(pid):
            raise Failed(f"{names[0]} has ended, which was frozen for a quarter of its lease")
        return names[0]

    def freeze_one_kill_one(self):
        frozen, killed = self.some(2)
        pids = [pid_of(self.home, name) for name in (frozen, killed)]
        self.strike([frozen], "STOP")
        self.strike([killed], "KILL")
        self.await_lost(pids)
        self.strike([frozen], "CONT")
        self.await_that(f"{frozen} ends, which was frozen past its lease", lambda: has_ended(pids[0]))
        return f"{frozen} frozen, {killed} killed"

    def move(self):
        said = []
        tablets = [each for each in self.sippar.objects("admin", "tablets", self.target) if each["table"] in TABLES]
        for tablet in self.chance.sample(tablets, min(6, len(tablets))):
            server = self.chance.choice([name for name in self.names if name != tablet["server"].split(".")[0]])
            begun = time.monotonic()
            self.sippar.check("admin", "move", self.target, tablet["table"], tablet["start"], server)
            said.append(f"{tablet['table']}/{tablet['start']} to {server} {time.monotonic() - begun:.2f} s")
        return ", ".join(said)

    def drain(self):
        name, = self.some(1)

        def tablets():
            return next(each["tablets"] for each in self.servers() if each["name"] == name)

        self.sippar.check("admin", "drain", self.target, name)
        self.await_that(f"{name} has no tablet", lambda: tablets() == 0)
        self.await_served(len(self.names) - 1)  # `wait` does not count one that is drained
        self.sippar.check("admin", "undrain", self.target, name)
        self.await_served(len(self.names))
        return name

    def kill_master(self):
        name = self.reigning()
        self.lose([], also=[name])
        return name

    def freeze_master(self):
        name = self.reigning()
        self.strike([name], "STOP")
        self.await_that(f"another master than {name} reigns", lambda: self.reigning() != name)
        self.await_served(len(self.names))
        self.strike([name], "CONT")
        return name

    def kill_master_and_server(self):
        return self.lose(self.some(1), also=[self.reigning()])

    def balance(self):
        self.sippar.check("admin", "balance", self.target, "now")
        self.await_served(len(self.names))
        return "now"
