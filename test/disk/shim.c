/*
 * Loaded into a process with LD_PRELOAD. Watches what it does to files under the folder KINDRED_SHIM_FOLDER and, as its environment says,
 *
 *   KINDRED_SHIM_LOG=path        records every change and every sync, in order, so that power loss can be replayed
 *   KINDRED_SHIM_CONTROL=path    a file in shared memory (struct control): counts calls, and says which of them fail from now on
 *
 * A record is a line "kind inode offset length path[ to]\n", followed by `length` bytes for a write.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 4096

/* In the order of CALLS in shim.ts. */
enum { OPEN, READ, WRITE, FSYNC, TRUNCATE, RENAME, UNLINK, MKDIR, MMAP, ACCEPT, CALLS };
#define MAX_CALLS 16

/* Shared by all processes that have it open; shim.ts reads and writes it. */
struct control {
  /* Which call fails (-1: none) with which errno; 0 for a write that writes only half. */
  int32_t call, code;
  /* How many fail, from the nth of these calls on. */
  int32_t from, times;
  int32_t counts[MAX_CALLS];
  int32_t refused[MAX_CALLS];
};

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
static struct control *control;
/* Of a watched file, as it was opened; inode 0: not watched. */
static struct { dev_t device; ino_t inode; } watched[MAX_FILES];

#define REAL(name, result, ...) \
  static result (*real_##name)(__VA_ARGS__); \
  if (!real_##name) real_##name = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);

static void write_all(int file, const void *bytes, size_t length) {
  REAL(write, ssize_t, int, const void *, size_t)
  while (length > 0) {
    ssize_t done = real_write(file, bytes, length);
    if (done <= 0) return;
    bytes = (const char *)bytes + done;
    length -= done;
  }
}

__attribute__((constructor)) static void start(void) {
  const char *given = getenv("KINDRED_SHIM_FOLDER");
  if (!given) return;
  snprintf(folder, sizeof folder, "%s", given);
  folder_length = strlen(folder);
  REAL(open, int, const char *, int, ...)
  const char *log = getenv("KINDRED_SHIM_LOG");
  if (log) log_file = real_open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const char *shared = getenv("KINDRED_SHIM_CONTROL");
  if (!shared) return;
  int file = real_open(shared, O_RDWR);
  REAL(mmap, void *, void *, size_t, int, int, int, off_t)
  control = real_mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (control == MAP_FAILED) abort();
}

/* Counts the call. Whether it has to fail: sets errno then. */
static int fails(int call) {
  if (!control) return 0;
  int32_t n = __atomic_add_fetch(&control->counts[call], 1, __ATOMIC_SEQ_CST);
  if (call != control->call || n < control->from || n - control->from >= control->times) return 0;
  __atomic_add_fetch(&control->refused[call], 1, __ATOMIC_SEQ_CST);
  errno = control->code;
  return 1;
}

static int is_watched(const char *path) {
  return folder_length > 0 && path && !strncmp(path, folder, folder_length);
}

/* Of a watched file its inode, else 0. Not every close is seen, so that the number may be that of something else by now. */
static unsigned long inode_of(int file) {
  struct stat found;
  if (file < 0 || file >= MAX_FILES || !watched[file].inode || fstat(file, &found)) return 0;
  return found.st_ino == watched[file].inode && found.st_dev == watched[file].device ? found.st_ino : 0;
}

static void not_watched(int file) {
  if (file >= 0 && file < MAX_FILES) watched[file].inode = 0;
}

static void record(const char *kind, unsigned long inode, long offset, size_t length, const char *path, const char *to) {
  if (log_file < 0) return;
  char line[2 * PATH_MAX + 100];
  int size = snprintf(line, sizeof line, "%s %lu %ld %zu %s%s%s\n", kind, inode, offset, length, path ? path : "", to ? " " : "", to ? to : "");
  write_all(log_file, line, size);
}

static void opened(int file, const char *path, int flags) {
  struct stat found;
  if (file < 0 || file >= MAX_FILES || fstat(file, &found)) return;
  watched[file].device = found.st_dev;
  watched[file].inode = found.st_ino;
  if (flags & O_CREAT) record("create", found.st_ino, 0, 0, path, 0);
  if (flags & O_TRUNC) record("truncate", found.st_ino, 0, 0, path, 0);
  if (S_ISDIR(found.st_mode)) record("folder", found.st_ino, 0, 0, path, 0);
}

#define OPEN_CALL(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name, int, const char *, int, ...) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); } \
    if (!is_watched(path)) { \
      int other = real_##name(path, flags, mode); \
      not_watched(other); \
      return other; \
    } \
    if (fails(OPEN)) return -1; \
    pthread_mutex_lock(&lock); \
    int file = real_##name(path, flags, mode); \
    opened(file, path, flags); \
    pthread_mutex_unlock(&lock); \
    return file; \
  }
OPEN_CALL(open)
OPEN_CALL(open64)

int close(int file) {
  REAL(close, int, int)
  not_watched(file);
  return real_close(file);
}

static ssize_t written(int file, const void *bytes, long offset, ssize_t done) {
  if (done <= 0 || log_file < 0) return done;
  record("write", inode_of(file), offset, done, "", 0);
  write_all(log_file, bytes, done);
  return done;
}

static long place_of(int file) {
  struct stat found;
  if (fcntl(file, F_GETFL) & O_APPEND) return fstat(file, &found) ? 0 : found.st_size;
  return lseek(file, 0, SEEK_CUR);
}

/* Of a write that fails: 0, or half of it if it is to be a short one. */
static size_t what_is_left(size_t length) {
  return errno ? 0 : (length + 1) / 2;
}

ssize_t write(int file, const void *bytes, size_t length) {
  REAL(write, ssize_t, int, const void *, size_t)
  if (!inode_of(file)) return real_write(file, bytes, length);
  if (fails(WRITE) && !(length = what_is_left(length))) return -1;
  pthread_mutex_lock(&lock);
  long offset = place_of(file);
  ssize_t done = written(file, bytes, offset, real_write(file, bytes, length));
  pthread_mutex_unlock(&lock);
  return done;
}

#define PWRITE_CALL(name) \
  ssize_t name(int file, const void *bytes, size_t length, off_t offset) { \
    REAL(name, ssize_t, int, const void *, size_t, off_t) \
    if (!inode_of(file)) return real_##name(file, bytes, length, offset); \
    if (fails(WRITE) && !(length = what_is_left(length))) return -1; \
    pthread_mutex_lock(&lock); \
    ssize_t done = written(file, bytes, offset, real_##name(file, bytes, length, offset)); \
    pthread_mutex_unlock(&lock); \
    return done; \
  }
PWRITE_CALL(pwrite)
PWRITE_CALL(pwrite64)

/* Several buffers are written one after the other: whoever calls has to expect that not all are written at once. */
ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev, ssize_t, int, const struct iovec *, int)
  if (!inode_of(file)) return real_writev(file, parts, count);
  return count == 0 ? 0 : write(file, parts[0].iov_base, parts[0].iov_len);
}

#define PWRITEV_CALL(name) \
  ssize_t name(int file, const struct iovec *parts, int count, off_t offset) { \
    REAL(name, ssize_t, int, const struct iovec *, int, off_t) \
    if (!inode_of(file)) return real_##name(file, parts, count, offset); \
    return count == 0 ? 0 : pwrite(file, parts[0].iov_base, parts[0].iov_len, offset); \
  }
PWRITEV_CALL(pwritev)
PWRITEV_CALL(pwritev64)

#define TRUNCATE_CALL(name) \
  int name(int file, off_t length) { \
    REAL(name, int, int, off_t) \
    if (!inode_of(file)) return real_##name(file, length); \
    if (fails(TRUNCATE)) return -1; \
    pthread_mutex_lock(&lock); \
    int result = real_##name(file, length); \
    if (!result) record("truncate", inode_of(file), length, 0, "", 0); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
TRUNCATE_CALL(ftruncate)
TRUNCATE_CALL(ftruncate64)

#define SYNC_CALL(name) \
  int name(int file) { \
    REAL(name, int, int) \
    if (!inode_of(file)) return real_##name(file); \
    if (fails(FSYNC)) return -1; \
    pthread_mutex_lock(&lock); \
    record("sync", inode_of(file), 0, 0, "", 0); \
    pthread_mutex_unlock(&lock); \
    return 0; \
  }
SYNC_CALL(fsync)
SYNC_CALL(fdatasync)

int rename(const char *from, const char *to) {
  REAL(rename, int, const char *, const char *)
  if (!is_watched(from) && !is_watched(to)) return real_rename(from, to);
  if (fails(RENAME)) return -1;
  pthread_mutex_lock(&lock);
  int result = real_rename(from, to);
  if (!result) record("rename", 0, 0, 0, from, to);
  pthread_mutex_unlock(&lock);
  return result;
}

static int removed(const char *path, int result) {
  if (!result && is_watched(path)) record("remove", 0, 0, 0, path, 0);
  return result;
}

/* Types, parameters and arguments are lists in parentheses. */
#define REAL_OF(name, result, types) \
  static result(*real) types; \
  if (!real) real = (result(*) types)dlsym(RTLD_NEXT, #name);

#define REMOVE_CALL(name, types, parameters, arguments) \
  int name parameters { \
    REAL_OF(name, int, types) \
    if (is_watched(path) && fails(UNLINK)) return -1; \
    pthread_mutex_lock(&lock); \
    int result = removed(path, real arguments); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
REMOVE_CALL(unlink, (const char *), (const char *path), (path))
REMOVE_CALL(rmdir, (const char *), (const char *path), (path))
REMOVE_CALL(unlinkat, (int, const char *, int), (int base, const char *path, int flags), (base, path, flags))

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir, int, const char *, mode_t)
  if (is_watched(path) && fails(MKDIR)) return -1;
  pthread_mutex_lock(&lock);
  int result = real_mkdir(path, mode);
  struct stat found;
  if (!result && is_watched(path) && !stat(path, &found)) record("mkdir", found.st_ino, 0, 0, path, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

#define READ_CALL(name, types, parameters, arguments) \
  ssize_t name parameters { \
    REAL_OF(name, ssize_t, types) \
    if (inode_of(file) && fails(READ)) return -1; \
    return real arguments; \
  }
#define PLAIN_READ(name, offset_type) \
  READ_CALL(name, (int, void *, size_t, offset_type), (int file, void *to, size_t length, offset_type at), (file, to, length, at))
#define PARTS_READ(name, offset_type) \
  READ_CALL(name, (int, const struct iovec *, int, offset_type), (int file, const struct iovec *to, int count, offset_type at), (file, to, count, at))
READ_CALL(read, (int, void *, size_t), (int file, void *to, size_t length), (file, to, length))
READ_CALL(readv, (int, const struct iovec *, int), (int file, const struct iovec *to, int count), (file, to, count))
PLAIN_READ(pread, off_t)
PLAIN_READ(pread64, off64_t)
PARTS_READ(preadv, off_t)
PARTS_READ(preadv64, off64_t)

#define MMAP_CALL(name) \
  void *name(void *at, size_t length, int protection, int flags, int file, off_t offset) { \
    REAL(name, void *, void *, size_t, int, int, int, off_t) \
    if (inode_of(file) && fails(MMAP)) return MAP_FAILED; \
    return real_##name(at, length, protection, flags, file, offset); \
  }
MMAP_CALL(mmap)
MMAP_CALL(mmap64)

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
  REAL(accept4, int, int, struct sockaddr *, socklen_t *, int)
  if (folder_length > 0 && fails(ACCEPT)) return -1;
  int file = real_accept4(socket, address, length, flags);
  not_watched(file);
  return file;
}

int accept(int socket, struct sockaddr *address, socklen_t *length) {
  return accept4(socket, address, length, 0);
}

/* Copies in the kernel would not be seen: whoever calls falls back to reading and writing. */
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
  REAL(copy_file_range, ssize_t, int, off64_t *, int, off64_t *, size_t, unsigned)
  if (!inode_of(from) && !inode_of(to)) return real_copy_file_range(from, from_offset, to, to_offset, length, flags);
  errno = EXDEV;
  return -1;
}

int posix_fallocate(int file, off_t offset, off_t length) {
  REAL(posix_fallocate, int, int, off_t, off_t)
  return inode_of(file) ? EOPNOTSUPP : real_posix_fallocate(file, offset, length);
}
