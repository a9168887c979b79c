/**
 * Time and threads: the one {@link io.redelay.scheduling.Scheduler clock, timer and
 * executor} that all that waits gets, for the queue and the lock.
 */
@NullMarked
package io.redelay.scheduling;

import org.jspecify.annotations.NullMarked;
