"""Plays programs that a new machine may lack, by the system calls that /proc shows of the real ones, but where it is said.

python3 play.py NAME: each function says whose shape it has. What it prints comes right before it reads.
"""

import ctypes
import os
import pty
import select
import socket
import sys
import termios
import threading
import time
import tty

libc = ctypes.CDLL(None, use_errno=True)
IN = select.EPOLLIN


def say(text):
    os.write(1, text.encode())


def keys():
    """Single keys, not shown: raw but for the output."""
    mode = termios.tcgetattr(0)
    mode[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(0, termios.TCSANOW, mode)


def hidden(fd):
    mode = termios.tcgetattr(fd)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSANOW, mode)


def epoll(*descriptors):
    events = select.epoll()
    for descriptor in descriptors:
        events.register(descriptor, IN)
    return events


def loop(*descriptors):
    """libuv: an epoll of an eventfd and a pipe to itself, the terminal opened once more; its pool waits in futex."""
    for _ in range(4):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    back, _ = os.pipe()
    terminal = os.open(os.ttyname(0), os.O_RDWR | os.O_NOCTTY)
    return epoll(libc.eventfd(0, 0), back, terminal, *descriptors)


def turn(events, seconds):
    while not [descriptor for descriptor, _ in events.poll(seconds) if descriptor == 99]:
        pass


def ssh_password():
    """As ssh is believed to ask (not seen live): a connection, and read(/dev/tty, 1) without echo."""
    connection = socket.socketpair()
    terminal = os.open("/dev/tty", os.O_RDWR)
    hidden(terminal)
    os.write(terminal, b"dev@host's password: ")
    os.read(terminal, 1)
    connection[0].close()


def ssh_session(said):
    """ssh 9.2, logged in: ppoll of the connection and the terminal, raw."""
    here, _there = socket.socketpair()
    tty.setraw(0)
    say(said)
    poll = select.poll()
    poll.register(here, select.POLLIN)
    poll.register(0, select.POLLIN)
    poll.poll()


def su():
    """su of util-linux 2.38, passwd, sudo: read(0) of a line without echo."""
    hidden(0)
    say("Password: ")
    os.read(0, 511)


def apt():
    """As apt is believed to ask (not seen live): read(0, 1023) of a line."""
    say("After this operation, 5,120 kB of additional disk space will be used.\nDo you want to continue? [Y/n] ")
    os.read(0, 1023)


def git():
    """git 2.39 over HTTP: git reads a pipe from git-remote-http, which reads a line from /dev/tty."""
    back, forth = os.pipe()
    if os.fork():
        os.close(forth)
        os.read(back, 1)
    with open("/dev/tty", "r+b", 0) as terminal:
        terminal.write(b"Username for 'http://127.0.0.1:7999': ")
        terminal.read(4096)


def npm_init():
    """npm 10 on node 20: epoll_pwait with the 8 s of V8's heap as its limit, the cursor set behind the question."""
    keys()
    events = loop()
    say("Press ^C at any time to quit.\n\x1b[1G\x1b[0Jpackage name: (demo) \x1b[22G")
    turn(events, 6.2)


def npx():
    """npx of npm 10: as npm_init, and the registry's connection is kept."""
    keys()
    here, _there = socket.socketpair()
    events = loop(here)
    say("Need to install the following packages:\ncreate-vite@5\nOk to proceed? (y) ")
    turn(events, None)


def dialog():
    """dialog 1.3: read(0, 1), raw, on a screen that it has drawn."""
    keys()
    say("\x1b[?1049h\x1b[H\x1b[2J\x1b[8;22HReally?\x1b[12;26H< Yes >  < No  >\x1b[12;27H")
    os.read(0, 1)


def pager():
    """less 590: read(/dev/tty, 1), raw."""
    keys()
    terminal = os.open("/dev/tty", os.O_RDONLY)
    say("one\ntwo\n:\x1b[K")
    os.read(terminal, 1)


def top():
    """top of procps 4.0: pselect of the terminal for 3 s, raw."""
    keys()
    while True:
        say("\x1b[H\x1b[2Jtop - up 1 day\n\n  PID USER\n    1 root\x1b[K")
        select.select([0], [], [], 3)


def htop():
    """htop 3.2: poll of the terminal for 1500 ms, raw."""
    keys()
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        say("\x1b[H\x1b[2JMem[||||  1.2G]\x1b[24;1HF1Help F10Quit")
        poll.poll(1500)


def clock():
    """What shows something every second by a timerfd, as systemd's event loops do."""
    keys()
    timer = libc.timerfd_create(1, 0)
    libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(5, 0, 5, 0), None)
    say("12:00:01 q quits ")
    turn(epoll(0, timer), None)


def serve(said):
    """vite 5 on node 20: as npm_init, with its listener and the 30 s in which it looks at idle connections."""
    listener = socket.create_server(("127.0.0.1", 0))
    events = loop(listener.fileno())
    say(said)
    turn(events, 29.9)


def watch():
    """tsc --watch and the like on node 20: as npm_init, with an inotify."""
    keys()
    events = loop(libc.inotify_init1(0))
    say("Watching for file changes, q quits.\n")
    turn(events, None)


def thread(said):
    """A thread that reads while another sleeps."""
    threading.Thread(target=os.read, args=(0, 1), daemon=True).start()
    say(said)
    time.sleep(600)


def inside(*argv):
    """script of util-linux 2.38, sudo with use_pty, dpkg under apt: a terminal inside, whose keys are handed on."""
    pty.spawn(argv)


if __name__ == "__main__":
    globals()[sys.argv[1]](*[word.encode().decode("unicode_escape") for word in sys.argv[2:]])
