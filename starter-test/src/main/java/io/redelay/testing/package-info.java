/**
 * Support for tests of an application with queues and locks.
 */
@NullMarked
package io.redelay.testing;

import org.jspecify.annotations.NullMarked;
