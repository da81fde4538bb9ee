/* cmocka with the headers that it needs. Include this instead of <cmocka.h>. */
#ifndef CMOCKA_TEST_H
#define CMOCKA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
