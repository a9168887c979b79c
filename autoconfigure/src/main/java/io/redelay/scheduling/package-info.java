/**
 * Time and threads: what waits and what runs later, for the queue and the lock.
 */
@NullMarked
package io.redelay.scheduling;

import org.jspecify.annotations.NullMarked;
