#!/usr/bin/env python3
"""Makes the recordings in this folder: what programs print in a terminal, and what tmux shows for the same bytes.

Needs tmux, vim, htop, less, dialog and whiptail. For each name: NAME.N.ROWSxCOLS.out, the bytes of one size after the
other, and NAME.txt, the screen in the end: cursor, flags, title, then the rows as text with SGR, in one way of writing.

    python3 record.py [NAME...]
"""
import fcntl, os, pty, re, select, struct, subprocess, sys, termios, time, unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
ESC = "\x1b"
ENV = {"TERM": "xterm-256color", "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent", "PS1": "$ ",
       "COLORTERM": "truecolor", "LESSHISTFILE": "-", "HTOPRC": "/dev/null"}


def size(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def program(argv, *steps, rows=24, cols=80):
    """Runs a program; a step is what is typed, or a new size (rows, cols). Ends without the program being ended."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir("/tmp/screens")
        os.execvpe(argv[0], argv, ENV)
    size(fd, rows, cols)
    parts = [[(rows, cols), b""]]

    def gather(quiet):
        end = time.monotonic() + 4
        while time.monotonic() < end and select.select([fd], [], [], quiet)[0]:
            try:
                parts[-1][1] += os.read(fd, 65536)
            except OSError:
                return
    gather(2.5)
    for step in steps:
        if isinstance(step, tuple):
            parts.append([step, b""])
            size(fd, *step)
        else:
            os.write(fd, step.encode())
        gather(0.6)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(fd)
    return parts


def written(*texts, rows=24, cols=80):
    return [[(rows, cols), "".join(texts).encode()]]


def tmux(*args):
    return subprocess.run(["tmux", "-L", "screens", "-f", "/dev/null", *args], check=True, capture_output=True,
                          env={**ENV, "TERM": "xterm-256color"}).stdout.decode()


def shown(parts):
    """What tmux shows for them."""
    (rows, cols), _ = parts[0]
    for n, (_, data) in enumerate(parts):
        Path(f"/tmp/screens/part{n}").write_bytes(data)
        Path(f"/tmp/screens/go{n}").unlink(missing_ok=True)
        Path(f"/tmp/screens/done{n}").unlink(missing_ok=True)
    play = "stty raw -echo; " + "".join(
        f"while [ ! -e go{n} ]; do sleep 0.2; done; cat part{n}; touch done{n}; " for n in range(len(parts)))
    tmux("new-session", "-d", "-x", str(cols), "-y", str(rows), "-c", "/tmp/screens", "sh", "-c", play + "sleep 1000")
    try:
        for option, value in (("status", "off"), ("default-terminal", "xterm-256color")):
            tmux("set", "-g", option, value)
        tmux("resize-window", "-x", str(cols), "-y", str(rows))
        tmux("select-pane", "-T", "")
        time.sleep(0.2)
        for n, ((rows, cols), _) in enumerate(parts):
            tmux("resize-window", "-x", str(cols), "-y", str(rows))
            time.sleep(0.2)
            Path(f"/tmp/screens/go{n}").touch()
            while not Path(f"/tmp/screens/done{n}").exists():
                time.sleep(0.02)
            last = None
            while last != (last := tmux("capture-pane", "-p", "-e", "-N")):
                time.sleep(0.3)
        state = tmux("display-message", "-p", "#{cursor_y} #{cursor_x} #{cursor_flag} #{alternate_on}").split()
        title = tmux("display-message", "-p", "#{pane_title}").rstrip("\n")
        head = [f"cursor {state[0]} {min(int(state[1]), cols - 1)} {'visible' if state[2] == '1' else 'hidden'}",
                f"alternate {'true' if state[3] == '1' else 'false'}", f"title {title}".rstrip()]
        lines = last.split("\n")[:rows]
        return head + one_way(lines)
    finally:
        tmux("kill-server")
        time.sleep(0.3)


ACS = dict(zip("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␉┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))


def one_way(lines):
    """Rows as our painter writes them: a run's style in full, blanks without what is not seen on them."""
    style, acs, rows = {}, False, []
    for line in lines:
        cells = []
        at = 0
        while at < len(line):
            escape = re.compile(r"\x1b\[([\d;:]*)m").match(line, at)
            if escape:
                apply(style, escape.group(1))
                at = escape.end()
            elif line[at] in "\x0e\x0f":
                acs = line[at] == "\x0e"
                at += 1
            else:
                text = ACS.get(line[at], line[at]) if acs else line[at]
                if unicodedata.combining(text) and cells:
                    cells[-1] = (cells[-1][0] + text, cells[-1][1])
                else:
                    cells.append((text, visible(text, style)))
                at += 1
        while cells and re.fullmatch(" ((;48[;0-9]+)?)", "".join(cells[-1])):
            cells.pop()  # tmux does not tell what was erased with a background
        row, last = "", ""
        for text, look in cells:
            if look != last:
                row += f"{ESC}[0{look}m"
                last = look
            row += text
        rows.append(row)
    return rows


FLAGS = {1: "1", 2: "2", 3: "3", 4: "4", 5: "5", 7: "7", 8: "8"}


def visible(text, style):
    """The parameters of a style behind the 0, as far as it is seen."""
    look = "".join(f";{flag}" for flag in sorted(style.get("on", ())) if text != " " or flag in (4, 7))
    if "fg" in style and (text != " " or {4, 7} & style.get("on", set())):
        look += ";" + style["fg"]
    if "bg" in style:
        look += ";" + style["bg"]
    return look


def apply(style, text):
    numbers = [int(n or 0) for n in re.split("[;:]", text)]
    while numbers:
        n = numbers.pop(0)
        on = style.setdefault("on", set())
        if n == 0:
            style.clear()
        elif n in FLAGS:
            on.add(n)
        elif n == 22:
            on -= {1, 2}
        elif 23 <= n <= 28:
            on.discard(n - 20)
        elif n in (38, 48):
            kind = numbers.pop(0)
            count = 1 if kind == 5 else 3
            style["fg" if n == 38 else "bg"] = f"{n};{kind};" + ";".join(map(str, numbers[:count]))
            del numbers[:count]
        elif n in (39, 49):
            style.pop("fg" if n == 39 else "bg", None)
        elif 30 <= n % 60 <= 37 or 90 <= n <= 97:
            style["fg"] = f"38;5;{n - 30 if n < 90 else n - 82}"
        elif 40 <= n <= 47 or 100 <= n <= 107:
            style["bg"] = f"48;5;{n - 40 if n < 100 else n - 92}"


CODE = "".join(f"int twice_{n}(int number) {{\n    return number * {n}; /* times {n} */\n}}\n\n" for n in range(40))


def bar():
    text = "loading\r\n"
    for n in range(0, 101, 4):
        text += f"\r{ESC}[32m{'█' * (n // 4)}{ESC}[90m{'░' * (25 - n // 4)}{ESC}[0m {n:3}% {ESC}[K"
    return text + "\r\ndone\r\n$ "


def gradient():
    text = ""
    for row in range(6):
        text += "".join(f"{ESC}[48;2;{c * 6};{row * 40};{255 - c * 6}m{ESC}[38;2;1;2;{c}mx" for c in range(40)) + f"{ESC}[0m\r\n"
    text += "".join(f"{ESC}[38;5;{n}m{n:4}" for n in range(256)) + f"{ESC}[0m\r\n"
    text += f"{ESC}[38:2::200:100:50mcolons{ESC}[0m {ESC}[38:5:99malso{ESC}[0m "
    return text + "".join(f"{ESC}[{n}mstyle{n}{ESC}[0m " for n in (1, 2, 3, 4, 5, 7, 8, 31, 44, 95, 106))


RECORDINGS = {
    "vim": lambda: program(["vim", "-n", "-u", "NONE", "-c", "syntax on", "-c", "set number ruler hlsearch", "code.c"],
                           "/number\r", "10Gdd5Oinserted line\x1b", ":vsplit\r", "\x06\x06", "ggdj"),
    "vim-left": lambda: program(["bash", "--norc"], "echo before; vim -n -u NONE code.c\r", "jjjdd", ":q!\r", "echo after\r"),
    "htop": lambda: program(["htop", "-d", "50", "-p", str(SLEEPER.pid)], "\x1b[B", "H"),
    "less": lambda: program(["less", "-R", "-N", "code.c"], " ", "/times\r", "n", "b", "jjj"),
    "dialog": lambda: program(["dialog", "--colors", "--menu", "Choose \\Z1one\\Zn of these", "15", "50", "6", "a", "first",
                               "b", "second", "c", "third"], "b", "\t"),
    "whiptail": lambda: program(["whiptail", "--checklist", "Which ones?", "15", "60", "5", "one", "the first", "on",
                                 "two", "the second", "off"], "\x1b[B", " "),
    "bar": lambda: written(bar()),
    "wide": lambda: written(
        "日本語テキスト and 한국어\r\n", "emoji 🎉 and 👍 end\r\n", "e\u0301 combining\r\n", "x" * 79 + "漢字 wraps\r\n",
        f"漢字漢字{ESC}[3Gab{ESC}[6Gc\r\n", f"表表表表{ESC}[5D|\r\n", f"漢字漢字{ESC}[4D{ESC}[2P!\r\n", f"漢字漢字{ESC}[3G{ESC}[@"),
    "colours": lambda: written(gradient()),
    "alternate-left": lambda: written(
        "one\r\ntwo\r\n", f"{ESC}[31mthree", f"{ESC}7{ESC}[?1049h{ESC}[H{ESC}[44m{ESC}[2Jother screen", f"{ESC}[5;5Hmore",
        f"{ESC}[?1049l", " four\r\n"),
    "alternate": lambda: written(
        "".join(f"line {n}\r\n" for n in range(30)), f"{ESC}[?1049h{ESC}[3;3Hother", f"{ESC}[?1h{ESC}=", f"{ESC}[?12;25l"),
    "resize": lambda: program(["bash", "--norc"], "for i in 1 2 3 4 5; do echo line $i; done\r", (30, 100), "echo wider\r",
                              (16, 60), "echo smaller\r"),
    "resize-less": lambda: program(["less", "code.c"], " ", (30, 100), "k", (15, 50), "jj"),
    "region": lambda: written(
        "".join(f"row {n}\r\n" for n in range(23)), f"{ESC}[5;15r{ESC}[15;1Ha\r\nb\r\nc{ESC}[5;1H{ESC}M{ESC}Mtop",
        f"{ESC}[2S{ESC}[20;1Hbelow\r\n\n", f"{ESC}[3T{ESC}[10;3H{ESC}D{ESC}Eafter"),
    "origin": lambda: written(
        f"{ESC}[4;12r{ESC}[?6h{ESC}[Hhome{ESC}[99;99Hend{ESC}[3;5Hin{ESC}[2dvpa{ESC}[20Bdown{ESC}[30Aup",
        f"\r\n{ESC}[12;1H" + "".join(f"scroll {n}\r\n" for n in range(12)), f"{ESC}[?6l{ESC}[1;40Habsolute{ESC}[r{ESC}[24;3Hlast"),
    "edit": lambda: written(
        "a\tb\tc\r\n", f"{ESC}[3g{ESC}[5G{ESC}H{ESC}[20G{ESC}H\r\tfive\ttwenty\r\n", "0123456789" * 3 + f"{ESC}[5G{ESC}[3@{ESC}[20G{ESC}[4P\r\n",
        "abcdefghij" + f"{ESC}[3G{ESC}[4X\r\n", "one\r\ntwo\r\nthree\r\nfour\r\nfive" + f"{ESC}[2A\r{ESC}[2L{ESC}[Bnew{ESC}[2B\r{ESC}[1M",
        f"{ESC}[15;1Hinsert{ESC}[15;3H{ESC}[4hXY{ESC}[4l", f"{ESC}[16;1Hab{ESC}[5bc", f"{ESC}[17;10Hx{ESC}[Zyz",
        f"{ESC}[18;10H{ESC}[s{ESC}[20;20Haway{ESC}[uback", f"{ESC}[44m{ESC}[19;5H{ESC}[K{ESC}[20;3H{ESC}[1K{ESC}[0m{ESC}[21;1Hzz{ESC}[21;1H{ESC}[2K"),
    "charset": lambda: written(
        f"{ESC}(0lqqqk\r\nx   x\r\nmqqqj{ESC}(B ascii\r\n", f"{ESC})0a\x0eqqq\x0fb\r\n", f"{ESC})0\x0e{ESC}7\x0f{ESC}[10;10Hq{ESC}8q\x0f\r\n"),
    "wrap": lambda: written(
        "w" * 85 + "\r\n", "v" * 80 + "\b!\r\n", "u" * 80 + "\r\nnext\r\n", f"{ESC}[?7l" + "t" * 90 + "end\r\n" + f"{ESC}[?7h",
        "s" * 80 + f"{ESC}[K" + "r\r\n", "q" * 79 + f"\tp\r\n", "o" * 80 + f"{ESC}[Dn"),
    "readline": lambda: program(["bash", "--norc"], "echo one two three\x01", "\x1bf\x1bd", "\x05 four\r", "ls -d /\r", "echo '" + "long " * 30,
                                "'\x17\x17\r", "\x0c", "printf '\\033]0;a title\\007'\r"),
    "tmux": lambda: program(["tmux", "-L", "inner", "-f", "/dev/null", "new-session", "-x", "80", "-y", "24", "bash", "--norc"],
                            "ls -d / /usr\r", "\x02%", "echo right\r", "\x02\"", "seq 100\r", "\x02o"),
    "top": lambda: program(["top", "-d", "1", "-p", str(SLEEPER.pid)], "z", "x"),
}

if __name__ == "__main__":
    Path("/tmp/screens").mkdir(exist_ok=True)
    Path("/tmp/screens/code.c").write_text(CODE)
    SLEEPER = subprocess.Popen(["sleep", "1000"])
    for name in sys.argv[1:] or RECORDINGS:
        recorded = RECORDINGS[name]()
        for old in HERE.glob(f"{name}.[0-9]*.out"):
            old.unlink()
        for n, ((r, c), data) in enumerate(recorded):
            (HERE / f"{name}.{n}.{r}x{c}.out").write_bytes(data)
        (HERE / f"{name}.txt").write_text("\n".join(shown(recorded)) + "\n")
        print(name, sum(len(data) for _, data in recorded))
    SLEEPER.kill()
    subprocess.run(["tmux", "-L", "inner", "kill-server"], capture_output=True)
