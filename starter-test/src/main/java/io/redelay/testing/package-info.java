/**
 * What the tests of an application with queues and locks need.
 */
@NullMarked
package io.redelay.testing;

import org.jspecify.annotations.NullMarked;
