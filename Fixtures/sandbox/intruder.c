// SPDX-License-Identifier: Apache-2.0
// Stands for code of a stranger that a bug in a library runs. Tests build it twice.
//
// As a library that is preloaded into emojiart-worker it takes the place of a function of libpng, dav1d, HarfBuzz or libcurl, which is called
// with the first bytes of a stranger, and there makes the attempt that INTRUDER_ATTEMPT names. As a program:
//   intruder list                  prints the attempts' names, a line each
//   intruder try NAME              makes the attempt, as a process without a sandbox
//   intruder parent PROGRAM ARG…   starts the program, preloaded with INTRUDER_LIBRARY if that is set, and prints how it ended
//   intruder lacking WHAT PROGRAM ARG…   becomes the program on a system that has no `landlock`, no `seccomp`, `neither`,
//                                        or no `threads` to be begun
//
// An attempt prints `succeeded` or `failed ERRNO`; one that is killed prints nothing.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char room[4096];

// A path below the folder that stands for a person's home.
static const char *home(const char *name) {
  snprintf(room, sizeof room, "%s/%s", getenv("INTRUDER_HOME") ? getenv("INTRUDER_HOME") : "/nowhere", name);
  return room;
}

// The process that started this one. Not asked of the system, which may be forbidden.
static pid_t the_parent(void) { return (pid_t)atoi(getenv("INTRUDER_PARENT") ? getenv("INTRUDER_PARENT") : "0"); }

// Where the parent keeps a secret in its memory.
static void *parents_secret(void) {
  return (void *)strtoul(getenv("INTRUDER_ADDRESS") ? getenv("INTRUDER_ADDRESS") : "0", NULL, 16);
}

static const char *of_parent(const char *name) {
  snprintf(room, sizeof room, "/proc/%d/%s", (int)the_parent(), name);
  return room;
}

// 0 where the call gave what it gives when it works.
static int done(long result) { return result < 0 ? -1 : 0; }

static int reads(const char *path) {
  char byte;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  return file >= 0 && read(file, &byte, 1) == 1 ? 0 : -1;
}

static int connects(int family, int type, const void *address, socklen_t length) {
  int end = socket(family, type | SOCK_CLOEXEC, 0);
  return end < 0 ? -1 : connect(end, address, length);
}

// MARK: Files

static int read_key(void) { return reads(home("id_rsa")); }
static int read_passwd(void) { return reads("/etc/passwd"); }
static int read_own_environment(void) { return reads("/proc/self/environ"); }
static int read_parents_environment(void) { return reads(of_parent("environ")); }
static int open_parents_memory(void) { return done(open(of_parent("mem"), O_RDONLY)); }
static int open_parents_memory_to_write(void) { return done(open(of_parent("mem"), O_RDWR)); }
static int read_parents_memory_map(void) { return reads(of_parent("maps")); }
static int find_parents_program(void) {
  char path[4096];
  return done(readlink(of_parent("exe"), path, sizeof path));
}
static int list_home(void) {
  char entries[4096];
  int folder = open(home(""), O_RDONLY | O_DIRECTORY);
  return folder < 0 ? -1 : done(syscall(SYS_getdents64, folder, entries, sizeof entries));
}
static int look_at_key(void) {
  struct stat status;
  return stat(home("id_rsa"), &status);
}
static int append_to_bashrc(void) {
  int file = open(home(".bashrc"), O_WRONLY | O_APPEND);
  return file >= 0 && write(file, "#\n", 2) == 2 ? 0 : -1;
}
static int create_a_file(void) { return done(open(home("new"), O_WRONLY | O_CREAT, 0600)); }
static int make_an_unnamed_file(void) { return done(open(home(""), O_TMPFILE | O_RDWR, 0600)); }
static int remove_a_file(void) { return unlink(home("to-remove")); }
static int rename_a_file(void) {
  char from[4096];
  strcpy(from, home("to-rename"));
  return rename(from, home("renamed"));
}
static int change_permissions(void) { return chmod(home("id_rsa"), 0644); }
static int make_a_symbolic_link(void) { return symlink("id_rsa", home("symbolic")); }
static int make_a_hard_link(void) {
  char from[4096];
  strcpy(from, home("id_rsa"));
  return link(from, home("hard"));
}
static int make_a_folder(void) { return mkdir(home("folder"), 0700); }
static int truncate_a_file(void) { return truncate(home("to-truncate"), 0); }
static int open_the_document(void) { return done(open(home("bees.emojiart"), O_RDWR)); }
static int go_elsewhere(void) { return chdir(home("")); }
static int open_a_device(void) { return done(open("/dev/zero", O_RDWR)); }
static int type_into_a_terminal(void) {
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  return terminal < 0 ? -1 : ioctl(terminal, TIOCGWINSZ, room);
}
static int watch_home(void) {
  int events = inotify_init1(IN_CLOEXEC);
  return events < 0 ? -1 : done(inotify_add_watch(events, home(""), IN_ACCESS));
}

// MARK: Programs and processes

static int execute(void) { return execl("/bin/echo", "echo", "succeeded", NULL); }
static int execute_by_descriptor(void) {
  char *const arguments[] = {"echo", "succeeded", NULL}, *const none[] = {NULL};
  int file = open("/bin/echo", O_PATH);
  return file < 0 ? -1 : done(syscall(SYS_execveat, file, "", arguments, none, AT_EMPTY_PATH));
}
static int execute_from_memory(void) {
  char *const arguments[] = {"echo", "succeeded", NULL}, *const none[] = {NULL};
  static char bytes[1 << 20];
  int file = (int)syscall(SYS_memfd_create, "x", 1);
  int echo = open("/bin/echo", O_RDONLY);
  ssize_t count = echo < 0 ? -1 : read(echo, bytes, sizeof bytes);
  if (file < 0 || count < 0 || write(file, bytes, (size_t)count) != count) return -1;
  return done(syscall(SYS_execveat, file, "", arguments, none, AT_EMPTY_PATH));
}
static int keep_a_file_in_memory(void) { return done(syscall(SYS_memfd_create, "x", 1)); }
static int end_child(long process) {
  if (process == 0) _exit(0);
  return process < 0 ? -1 : done(waitpid((pid_t)process, NULL, __WALL));
}
static int fork_a_process(void) { return end_child(fork()); }
static int fork_by_clone(void) { return end_child(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)); }
static int fork_by_clone3(void) {
  uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};
  return end_child(syscall(SYS_clone3, arguments, sizeof arguments));
}
static int fork_by_vfork(void) {
  pid_t process = vfork();
  if (process == 0) _exit(0);
  return process < 0 ? -1 : done(waitpid(process, NULL, 0));
}
static int stay_behind(void) {
  pid_t process = fork();
  if (process == 0) {
    setsid();
    _exit(0);
  }
  return done(process);
}
static int leave_the_session(void) { return done(setsid()); }
static int leave_the_group(void) { return setpgid(0, 0); }
static int trace_the_parent(void) { return done(ptrace(PTRACE_SEIZE, the_parent(), NULL, NULL)); }
static int read_the_parents_memory(void) {
  struct iovec own = {room, 8}, other = {parents_secret(), 8};
  return done(process_vm_readv(the_parent(), &own, 1, &other, 1, 0));
}
static int write_the_parents_memory(void) {
  struct iovec own = {room, 8}, other = {parents_secret(), 8};
  return done(process_vm_writev(the_parent(), &own, 1, &other, 1, 0));
}
static int signal_the_parent(void) { return kill(the_parent(), 0); }
static int signal_everybody(void) { return kill(-1, 0); }
static int signal_the_parents_thread(void) { return done(syscall(SYS_tgkill, the_parent(), the_parent(), 0)); }
static int signal_by_descriptor(void) {
  int process = (int)syscall(SYS_pidfd_open, the_parent(), 0);
  return process < 0 ? -1 : done(syscall(SYS_pidfd_send_signal, process, 0, NULL, 0));
}
static int queue_a_signal(void) {
  union sigval value = {0};
  return sigqueue(the_parent(), 0, value);
}
static int limit_the_parent(void) {
  struct rlimit limits;
  if (prlimit(the_parent(), RLIMIT_CORE, NULL, &limits) < 0) return -1;
  return prlimit(the_parent(), RLIMIT_CORE, &limits, NULL);
}
static int slow_the_parent(void) { return setpriority(PRIO_PROCESS, (id_t)the_parent(), 19); }
static int move_the_parent(void) {
  cpu_set_t processors;
  if (sched_getaffinity(the_parent(), sizeof processors, &processors) < 0) return -1;
  return sched_setaffinity(the_parent(), sizeof processors, &processors);
}

// MARK: Sockets

static struct sockaddr_in canary(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_port = htons((uint16_t)atoi(getenv("INTRUDER_PORT") ? getenv("INTRUDER_PORT") : "0"));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}
static int connect_by_tcp(void) {
  struct sockaddr_in address = canary();
  return connects(AF_INET, SOCK_STREAM, &address, sizeof address);
}
static int send_by_udp(void) {
  struct sockaddr_in address = canary();
  int end = socket(AF_INET, SOCK_DGRAM, 0);
  return end < 0 ? -1 : done(sendto(end, "x", 1, 0, (void *)&address, sizeof address));
}
static int make_a_tcp6_socket(void) { return done(socket(AF_INET6, SOCK_STREAM, 0)); }
static int listen_by_tcp(void) {
  struct sockaddr_in address = canary();
  address.sin_port = 0;
  int end = socket(AF_INET, SOCK_STREAM, 0);
  return end < 0 || bind(end, (void *)&address, sizeof address) < 0 ? -1 : listen(end, 1);
}
static int bind_by_udp(void) {
  struct sockaddr_in address = canary();
  address.sin_port = 0;
  int end = socket(AF_INET, SOCK_DGRAM, 0);
  return end < 0 ? -1 : bind(end, (void *)&address, sizeof address);
}
static int make_a_raw_socket(void) { return done(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
static int make_a_packet_socket(void) { return done(socket(AF_PACKET, SOCK_RAW, 0)); }
static int make_a_netlink_socket(void) { return done(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)); }
static int make_a_vsock_socket(void) { return done(socket(AF_VSOCK, SOCK_STREAM, 0)); }
static int make_a_crypto_socket(void) { return done(socket(AF_ALG, SOCK_SEQPACKET, 0)); }
static int make_a_bluetooth_socket(void) { return done(socket(AF_BLUETOOTH, SOCK_RAW, 0)); }
static int connect_by_path(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", home("socket"));
  return connects(AF_UNIX, SOCK_STREAM, &address, sizeof address);
}
// A socket of a pair can be sent elsewhere than to its other end, if it is one of datagrams.
static int make_a_datagram_pair(void) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0 ? -1 : 0;
}
static int make_a_multipath_socket(void) { return done(socket(AF_INET, SOCK_STREAM, 262)); }
static int connect_by_abstract_name(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *name = getenv("INTRUDER_ABSTRACT") ? getenv("INTRUDER_ABSTRACT") : "";
  strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  return connects(AF_UNIX, SOCK_STREAM, &address, (socklen_t)(sizeof(sa_family_t) + 1 + strlen(name)));
}

// MARK: The system

static int mount_a_file_system(void) {
  if (mount("none", home(""), "tmpfs", 0, NULL) < 0) return -1;
  return umount2(home(""), MNT_DETACH);
}
static int become_root_elsewhere(void) { return unshare(CLONE_NEWUSER); }
static int unshare_files(void) { return unshare(CLONE_FS); }
static int change_the_root(void) { return chroot(home("")); }
static int use_the_keys(void) { return done(syscall(SYS_keyctl, 0, -3, 1)); }  // the session's keyring
static int add_a_key(void) { return done(syscall(SYS_add_key, "user", "x", "x", 1, -3)); }
static int load_a_program(void) {
  char attributes[128] = {1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1};  // an array of one number
  return done(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}
static int count_events(void) {
  uint32_t attributes[32] = {1, 128};  // a software event
  return done(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
}
static int use_a_ring(void) {
  char parameters[256] = {0};
  return done(syscall(SYS_io_uring_setup, 1, parameters));
}
static int handle_faults(void) { return done(syscall(SYS_userfaultfd, 1)); }
static int make_memory_executable(void) {
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? -1 : mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}
static int map_executable_memory(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int be_dumpable(void) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }
static int outlive_the_parent(void) { return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); }
static int raise_a_limit(void) {
  struct rlimit limits;
  if (getrlimit(RLIMIT_FSIZE, &limits) < 0) return -1;
  limits.rlim_cur = limits.rlim_max;
  return setrlimit(RLIMIT_FSIZE, &limits);
}
static int share_memory(void) {
  int memory = shmget(IPC_PRIVATE, 4096, 0600);
  if (memory >= 0) shmctl(memory, IPC_RMID, NULL);
  return done(memory);
}
static int make_a_queue(void) {
  int queue = msgget(IPC_PRIVATE, 0600);
  if (queue >= 0) msgctl(queue, IPC_RMID, NULL);
  return done(queue);
}
static int set_a_timer(void) {
  timer_t timer;
  return timer_create(CLOCK_MONOTONIC, NULL, &timer);
}
static int compare_processes(void) { return done(syscall(SYS_kcmp, getpid(), the_parent(), 0, 0, 0)); }
static int become_another_user(void) { return setresuid(getuid(), getuid(), getuid()); }

static const struct attempt {
  const char *name;
  int (*make)(void);
} attempts[] = {
#define ATTEMPT(name) {#name, name}
    ATTEMPT(read_key), ATTEMPT(read_passwd), ATTEMPT(read_own_environment), ATTEMPT(read_parents_environment),
    ATTEMPT(open_parents_memory), ATTEMPT(open_parents_memory_to_write), ATTEMPT(read_parents_memory_map),
    ATTEMPT(find_parents_program), ATTEMPT(list_home), ATTEMPT(look_at_key), ATTEMPT(append_to_bashrc), ATTEMPT(create_a_file),
    ATTEMPT(make_an_unnamed_file), ATTEMPT(remove_a_file), ATTEMPT(rename_a_file), ATTEMPT(change_permissions),
    ATTEMPT(make_a_symbolic_link), ATTEMPT(make_a_hard_link), ATTEMPT(make_a_folder), ATTEMPT(truncate_a_file),
    ATTEMPT(open_the_document), ATTEMPT(go_elsewhere), ATTEMPT(open_a_device), ATTEMPT(type_into_a_terminal), ATTEMPT(watch_home),
    ATTEMPT(execute), ATTEMPT(execute_by_descriptor), ATTEMPT(execute_from_memory), ATTEMPT(keep_a_file_in_memory),
    ATTEMPT(fork_a_process), ATTEMPT(fork_by_clone), ATTEMPT(fork_by_clone3), ATTEMPT(fork_by_vfork), ATTEMPT(stay_behind),
    ATTEMPT(leave_the_session), ATTEMPT(leave_the_group), ATTEMPT(trace_the_parent), ATTEMPT(read_the_parents_memory),
    ATTEMPT(write_the_parents_memory), ATTEMPT(signal_the_parent), ATTEMPT(signal_everybody), ATTEMPT(signal_the_parents_thread),
    ATTEMPT(signal_by_descriptor), ATTEMPT(queue_a_signal), ATTEMPT(limit_the_parent), ATTEMPT(slow_the_parent),
    ATTEMPT(move_the_parent), ATTEMPT(connect_by_tcp), ATTEMPT(send_by_udp), ATTEMPT(make_a_tcp6_socket), ATTEMPT(listen_by_tcp),
    ATTEMPT(bind_by_udp), ATTEMPT(make_a_raw_socket), ATTEMPT(make_a_packet_socket), ATTEMPT(make_a_netlink_socket),
    ATTEMPT(make_a_vsock_socket), ATTEMPT(make_a_crypto_socket), ATTEMPT(make_a_bluetooth_socket), ATTEMPT(connect_by_path),
    ATTEMPT(make_a_datagram_pair), ATTEMPT(make_a_multipath_socket), ATTEMPT(connect_by_abstract_name), ATTEMPT(mount_a_file_system), ATTEMPT(become_root_elsewhere), ATTEMPT(unshare_files),
    ATTEMPT(change_the_root), ATTEMPT(use_the_keys), ATTEMPT(add_a_key), ATTEMPT(load_a_program), ATTEMPT(count_events),
    ATTEMPT(use_a_ring), ATTEMPT(handle_faults), ATTEMPT(make_memory_executable), ATTEMPT(map_executable_memory),
    ATTEMPT(be_dumpable), ATTEMPT(outlive_the_parent), ATTEMPT(raise_a_limit), ATTEMPT(share_memory), ATTEMPT(make_a_queue),
    ATTEMPT(set_a_timer), ATTEMPT(compare_processes), ATTEMPT(become_another_user),
};
enum { count = sizeof attempts / sizeof attempts[0] };

static void say(const char *line) {
  if (write(STDOUT_FILENO, line, strlen(line)) < 0) _exit(3);
}

// Makes the attempt and ends.
static _Noreturn void make(const char *name) {
  for (int index = 0; index < count; index++) {
    if (strcmp(attempts[index].name, name) != 0) continue;
    errno = 0;
    char line[64];
    if (attempts[index].make() == 0) {
      say("succeeded\n");
    } else {
      snprintf(line, sizeof line, "failed %d\n", errno);
      say(line);
    }
    _exit(0);
  }
  say("no such attempt\n");
  _exit(64);
}

#ifdef LIBRARY

void png_process_data(void *png, void *info, unsigned char *bytes, size_t size) {
  (void)png, (void)info, (void)bytes, (void)size;
  make(getenv("INTRUDER_ATTEMPT") ? getenv("INTRUDER_ATTEMPT") : "");
}

// libavif calls it; libavif's own functions are looked up in the library that was opened.
int dav1d_send_data(void *decoder, void *data) {
  (void)decoder, (void)data;
  make(getenv("INTRUDER_ATTEMPT") ? getenv("INTRUDER_ATTEMPT") : "");
}

// Its name from HarfBuzz 7 on.
void hb_font_draw_glyph(void *font, unsigned glyph, void *functions, void *data) {
  (void)font, (void)glyph, (void)functions, (void)data;
  make(getenv("INTRUDER_ATTEMPT") ? getenv("INTRUDER_ATTEMPT") : "");
}

void hb_font_get_glyph_shape(void *font, unsigned glyph, void *functions, void *data) {
  (void)font, (void)glyph, (void)functions, (void)data;
  make(getenv("INTRUDER_ATTEMPT") ? getenv("INTRUDER_ATTEMPT") : "");
}

int curl_easy_perform(void *handle) {
  (void)handle;
  make(getenv("INTRUDER_ATTEMPT") ? getenv("INTRUDER_ATTEMPT") : "");
}

#else

static int be_parent(char **words) {
  static char secret[8] = "secret";
  char number[32];
  snprintf(number, sizeof number, "%d", (int)getpid());
  setenv("INTRUDER_PARENT", number, 1);
  snprintf(number, sizeof number, "%lx", (unsigned long)secret);
  setenv("INTRUDER_ADDRESS", number, 1);
  pid_t process = fork();
  if (process == 0) {
    const char *library = getenv("INTRUDER_LIBRARY");
    if (library) setenv("LD_PRELOAD", library, 1);
    execv(words[0], words);
    _exit(127);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  char line[64];
  snprintf(line, sizeof line, "ended %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  say(line);
  return 0;
}

// Becomes a program for which these system calls are not there, or fail as where no thread may be begun.
static int be_lacking(const char *what, char **words) {
  bool is_neither = strcmp(what, "neither") == 0;
  // 444 is landlock_create_ruleset.
  const struct { const char *name; uint32_t number, error; } lacks[] = {
      {"landlock", 444, ENOSYS}, {"seccomp", SYS_seccomp, ENOSYS}, {"threads", SYS_clone, EAGAIN}, {"threads", SYS_clone3, EAGAIN},
  };
  struct sock_filter filter[16] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  unsigned short length = 1;
  for (int index = 0; index < 4; index++) {
    if (strcmp(what, lacks[index].name) != 0 && !(is_neither && index < 2)) continue;
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lacks[index].number, 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | lacks[index].error);
  }
  filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) return 3;
  execv(words[0], words);
  return 127;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "list") == 0) {
    for (int index = 0; index < count; index++) printf("%s\n", attempts[index].name);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "try") == 0) make(argv[2]);
  if (argc > 2 && strcmp(argv[1], "parent") == 0) return be_parent(argv + 2);
  if (argc > 3 && strcmp(argv[1], "lacking") == 0) return be_lacking(argv[2], argv + 3);
  return 64;
}

#endif
