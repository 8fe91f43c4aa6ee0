# SPDX-License-Identifier: ISC
"""Every write-intent system call, each on a file of its own.

    60-acts.py make DIRECTORY       as root: what the calls act on
    60-acts.py list [SPELLING]      the calls that the spelling fits
    60-acts.py act SPELLING PLACE   acts; prints "CALL ERRNO" a line
    60-acts.py race REFUSED ALLOWED
                                    makes files, by a path that another thread
                                    rewrites; prints how many it made

A call may have a variant, "open:append".  The spelling says how the path is
written; it is always PLACE/SPELLING/CALL that is meant.
The calls are made by number, since libraries choose among them.  x86_64.
"""
import ctypes
import errno
import os
import socket
import struct
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
WRITE = os.O_WRONLY
MAKE_ONE = WRITE | os.O_CREAT | os.O_EXCL
XATTR = b'user.ward'

# Arguments: the path, the directory that it may be relative to, a name beside
# it, what is there, opened, the path as a socket's address, and a socket.
PATH, HERE, OTHER, ITSELF, ADDRESS, SOCKET = (object() for _ in range(6))
EMPTY_PATH = 0x1000


def text(value):
    return ctypes.create_string_buffer(value)


def how(flags, mode=0):
    return ctypes.create_string_buffer(struct.pack('QQQ', flags, mode, 0))


def xattr_args(value):
    held = text(value)
    packed = struct.pack('QII', ctypes.addressof(held), len(value), 0)
    buffer = ctypes.create_string_buffer(packed, 16)
    buffer.held = held
    return buffer


def file_attr():
    return ctypes.create_string_buffer(24)


# The number, what must be at the path before, and the arguments.
CALLS = {
    'open': (2, 'file', (PATH, WRITE, 0)),
    'openat': (257, 'file', (HERE, PATH, WRITE, 0)),
    'openat2': (437, 'file', (HERE, PATH, how(WRITE), 24)),
    'open:append': (2, 'file', (PATH, WRITE | os.O_APPEND, 0)),
    'open:both': (2, 'file', (PATH, os.O_RDWR, 0)),
    'open:truncate': (2, 'file', (PATH, os.O_TRUNC, 0)),
    'open:create': (2, 'none', (PATH, WRITE | os.O_CREAT, 0o600)),
    'open:exclusive': (2, 'none', (PATH, MAKE_ONE, 0o600)),
    'open:unnamed': (2, 'directory', (PATH, WRITE | os.O_TMPFILE, 0o600)),
    'openat:create': (257, 'none', (HERE, PATH, WRITE | os.O_CREAT, 0o600)),
    'openat2:create': (437, 'none',
                       (HERE, PATH, how(WRITE | os.O_CREAT, 0o600), 24)),
    'creat': (85, 'none', (PATH, 0o600)),
    'creat:existing': (85, 'file', (PATH, 0o600)),
    'unlink': (87, 'file', (PATH,)),
    'unlinkat': (263, 'file', (HERE, PATH, 0)),
    'unlinkat:rmdir': (263, 'directory', (HERE, PATH, 0x200)),
    'rmdir': (84, 'directory', (PATH,)),
    'mkdir': (83, 'none', (PATH, 0o700)),
    'mkdirat': (258, 'none', (HERE, PATH, 0o700)),
    'mknod': (133, 'none', (PATH, 0o100600, 0)),
    'mknodat': (259, 'none', (HERE, PATH, 0o100600, 0)),
    'symlink': (88, 'none', (text(b'x'), PATH)),
    'symlinkat': (266, 'none', (text(b'x'), HERE, PATH)),
    'link': (86, 'none', (OTHER, PATH)),
    'linkat': (265, 'none', (HERE, OTHER, HERE, PATH, 0)),
    'rename': (82, 'file', (PATH, OTHER)),
    'renameat': (264, 'file', (HERE, PATH, HERE, OTHER)),
    'renameat2': (316, 'file', (HERE, PATH, HERE, OTHER, 0)),
    'bind': (49, 'none', (SOCKET, ADDRESS, 110)),
    'truncate': (76, 'file', (PATH, 0)),
    'chmod': (90, 'file', (PATH, 0o640)),
    'fchmodat': (268, 'file', (HERE, PATH, 0o640)),
    'fchmodat2': (452, 'file', (HERE, PATH, 0o640, 0)),
    'fchmodat2:itself': (452, 'file',
                         (ITSELF, text(b''), 0o640, EMPTY_PATH)),
    'chown': (92, 'file', (PATH, -1, -1)),
    'lchown': (94, 'file', (PATH, -1, -1)),
    'fchownat': (260, 'file', (HERE, PATH, -1, -1, 0)),
    'fchownat:itself': (260, 'file',
                        (ITSELF, text(b''), -1, -1, EMPTY_PATH)),
    'utime': (132, 'file', (PATH, None)),
    'utimes': (235, 'file', (PATH, None)),
    'futimesat': (261, 'file', (HERE, PATH, None)),
    'utimensat': (280, 'file', (HERE, PATH, None, 0)),
    'utimensat:itself': (280, 'file', (ITSELF, text(b''), None, EMPTY_PATH)),
    'setxattr': (188, 'file', (PATH, text(XATTR), text(b'v'), 1, 0)),
    'lsetxattr': (189, 'file', (PATH, text(XATTR), text(b'v'), 1, 0)),
    'setxattrat': (463, 'file',
                   (HERE, PATH, 0, text(XATTR), xattr_args(b'v'), 16)),
    'setxattrat:itself': (463, 'file',
                          (ITSELF, text(b''), EMPTY_PATH, text(XATTR),
                           xattr_args(b'v'), 16)),
    'removexattr': (197, 'xattr', (PATH, text(XATTR))),
    'lremovexattr': (198, 'xattr', (PATH, text(XATTR))),
    'removexattrat': (466, 'xattr', (HERE, PATH, 0, text(XATTR))),
    'removexattrat:itself': (466, 'xattr',
                             (ITSELF, text(b''), EMPTY_PATH, text(XATTR))),
    'file_setattr': (469, 'file', (HERE, PATH, file_attr(), 24, 0)),
}


def has_directory(name):
    return HERE in CALLS[name][2]


def follows(name):
    """Whether the call acts on what a link at the end of the path leads to."""
    return name not in ('open:exclusive', 'rmdir') and not name.startswith(
        ('bind', 'l', 'mk', 'symlink', 'unlink', 'rename'))


def links(place):
    """Where the links into a place are: the account can write there."""
    return '/srv/out/links' + place.replace('/', '-')


def opened(path):
    return os.open(path, os.O_PATH | os.O_DIRECTORY)


def relative(place, name):
    os.chdir(place)
    return AT_FDCWD, 'relative/' + name


# Kept open.
sockets = []

# Each gives (descriptor of a directory, path).
SPELLINGS = {
    'absolute': lambda place, name: (AT_FDCWD, f'{place}/absolute/{name}'),
    'relative': relative,
    'dotdot': lambda place, name:
        (AT_FDCWD, f'{place}/dotdot/sub/.././sub//../{name}'),
    'linked': lambda place, name: (AT_FDCWD, f'{links(place)}/linked/{name}'),
    'dirfd': lambda place, name: (opened(f'{place}/dirfd'), name),
    'dirfd-up': lambda place, name:
        (opened(f'{place}/dirfd-up/sub'), f'../{name}'),
    'last': lambda place, name: (AT_FDCWD, f'{links(place)}/last/{name}'),
}


def fits(spelling, name):
    if spelling.startswith('dirfd'):
        return has_directory(name)
    return spelling != 'last' or follows(name)


def make(place):
    """A directory a spelling, and the links; root's without an ACTS_UID."""
    os.makedirs(links(place) + '/last')
    os.symlink(place + '/linked', links(place) + '/linked')
    for spelling in SPELLINGS:
        directory = f'{place}/{spelling}'
        os.makedirs(directory + '/sub')
        open_up(directory)
        make_file(f'{directory}/other')
        for name, (_, wanted, _) in CALLS.items():
            if wanted == 'directory':
                os.mkdir(f'{directory}/{name}')
                open_up(f'{directory}/{name}')
            elif wanted != 'none':
                make_file(f'{directory}/{name}')
            if wanted == 'xattr':
                os.setxattr(f'{directory}/{name}', XATTR, b'v')
    for name in CALLS:
        os.symlink(f'{place}/last/{name}', f'{links(place)}/last/{name}')
    open_up(links(place) + '/last')


def open_up(path):
    if 'ACTS_UID' in os.environ:
        os.chmod(path, 0o777)


def make_file(path):
    with open(path, 'w', encoding='ascii'):
        pass
    os.chmod(path, 0o644)
    # the calls on inodes are the owner's
    if 'ACTS_UID' in os.environ:
        os.chown(path, int(os.environ['ACTS_UID']), -1)


def argument(value, dirfd, path):
    if value is HERE:
        return ctypes.c_long(dirfd)
    if value is PATH:
        return text(path.encode())
    if value is ADDRESS:
        packed = struct.pack('H108s', socket.AF_UNIX, path.encode())
        return ctypes.create_string_buffer(packed, 110)
    if value is SOCKET:
        sockets.append(socket.socket(socket.AF_UNIX))
        return ctypes.c_long(sockets[-1].fileno())
    if value is ITSELF:
        return ctypes.c_long(os.open(path, os.O_PATH))
    if value is OTHER:
        head, tail = os.path.split(path)
        other = 'other' if 'link' in tail else tail + '.new'
        return text(os.path.join(head, other).encode())
    if isinstance(value, int):
        return ctypes.c_long(value)
    return value


def call(name, dirfd, path):
    number, _, arguments = CALLS[name]
    ready = [argument(a, dirfd, path) for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *ready)
    return ctypes.get_errno() if result < 0 else 0


def act(spelling, place):
    for name in CALLS:
        if not fits(spelling, name):
            continue
        dirfd, path = SPELLINGS[spelling](place, name)
        error = call(name, dirfd, path)
        print(name, errno.errorcode.get(error, error))


def race(refused, allowed):
    """The kernel reads the path again: what is seen here is not what counts."""
    paths = [f'{place}/raced'.encode() for place in (refused, allowed)]
    size = max(len(path) for path in paths) + 1
    path = ctypes.create_string_buffer(size)
    done = threading.Event()

    def rewrite():
        while not done.is_set():
            for one in paths:
                path.raw = one.ljust(size, b'\0')

    thread = threading.Thread(target=rewrite)
    thread.start()
    made = 0
    for _ in range(500):
        fd = libc.syscall(ctypes.c_long(2), path,
                          ctypes.c_long(WRITE | os.O_CREAT),
                          ctypes.c_long(0o600))
        if fd >= 0:
            made += 1
            os.close(fd)
    done.set()
    thread.join()
    print(made)


def main(verb, *words):
    if verb == 'make':
        make(*words)
    elif verb == 'act':
        act(*words)
    elif verb == 'race':
        race(*words)
    else:
        for name in CALLS:
            if not words or fits(words[0], name):
                print(name)


main(*sys.argv[1:])
