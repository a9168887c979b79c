/**
 * How a script is run: loading, the names of keys, resending, the words of replies, and
 * wake-ups.
 */
@NullMarked
package io.redelay.queue.wire;

import org.jspecify.annotations.NullMarked;
