/*===- Support.h - errors, threads, memory, version ----------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API of libASTFE.so. Every function may be called from any thread;
 * objects may be shared between threads unless a function says otherwise.
 * A function that fails returns null or a non-zero status and leaves a text for
 * astfeLastError() of the calling thread. So does one whose argument is null,
 * where its description does not say what null means; what returns a number is
 * then -1, and what returns nothing does nothing. Destroying null is allowed,
 * and an object that was destroyed is an error like null, but what was borrowed
 * from it (texts, tables) is gone.
 *
 * fork() waits until the calls that other threads are in have returned, and
 * calls that come meanwhile wait for it; a child may use every object of the
 * host's. Not waited for is what other threads do without such a call: functions
 * found by astfeProgramLookup(), and code that calls the runtime itself. What
 * such code holds at that time stays held in the child.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_SUPPORT_H
#define ASTFE_C_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define ASTFE_C_API
#else
#define ASTFE_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** 0 is success. */
typedef int AstfeStatus;

/** The types of values. Those of floats are their bits; complex numbers are a
 *  real and an imaginary float, as in C's `float _Complex`, for
 *  ASTFE_PLUS_TIMES. */
typedef enum {
  ASTFE_F16 = 16,
  ASTFE_F32 = 32,
  ASTFE_F64 = 64,
  ASTFE_BF16 = 0x110,
  ASTFE_I8 = 0x208, /**< sums of products are ASTFE_I32 */
  ASTFE_I16 = 0x210,
  ASTFE_I32 = 0x220,
  ASTFE_I64 = 0x240,
  ASTFE_C64 = 0x340, /**< two of ASTFE_F32 */
  ASTFE_C128 = 0x380 /**< two of ASTFE_F64 */
} AstfeValueType;

/** What products are made of. Entries that are not stored take no part: a row
 *  without any is 0, or infinity, or the largest or least integer. Integers
 * wrap around; NaN goes through the least and the largest. */
typedef enum {
  ASTFE_PLUS_TIMES = 0,
  ASTFE_MIN_PLUS = 1,
  ASTFE_MAX_PLUS = 2,
  ASTFE_MAX_TIMES = 3,
  ASTFE_OR_AND = 4 /**< bit by bit, of integers */
} AstfeSemiring;

/** The text of the calling thread's last failure; "" when there was none.
 *  Valid until this thread's next call into the library. */
ASTFE_C_API const char *astfeLastError(void);

/** "0.1.0". */
ASTFE_C_API const char *astfeVersion(void);

/** The one thread setting of the process, whichever thread calls: partitioning,
 *  packing and host kernels. 0 restores the machine's number. Fails above 4096
 *  or below 0. */
ASTFE_C_API AstfeStatus astfeSetThreads(int64_t threads);
ASTFE_C_API int64_t astfeThreads(void);

/** The most bytes of a packed tensor's tables up to which copies by other modes
 *  than the one that it is packed by are added, from now on, whichever thread
 *  calls. Products into modes that have no room go piece by piece, on a host:
 *  the same results, several times the time. Such a mode stays so for that
 *  tensor. 0, the default: as much memory as there is. Fails below 0. */
ASTFE_C_API AstfeStatus astfeSetMemory(int64_t bytes);

/** Waits for kernels and modules that other threads compile; from then on
 *  compiling fails. LLVM's data go while a process ends: an exit() in the main
 *  thread does this by itself; a program that calls exit() in another thread
 *  beside such threads does it before. Products go on. */
ASTFE_C_API void astfeFinish(void);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_SUPPORT_H */
