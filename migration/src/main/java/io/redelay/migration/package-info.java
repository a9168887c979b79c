/**
 * Moves the messages of other queues into queues of Redelay.
 */
@NullMarked
package io.redelay.migration;

import org.jspecify.annotations.NullMarked;
