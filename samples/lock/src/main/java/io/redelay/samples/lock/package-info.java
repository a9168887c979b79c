/**
 * An application that takes locks, and has no queues.
 */
@NullMarked
package io.redelay.samples.lock;

import org.jspecify.annotations.NullMarked;
