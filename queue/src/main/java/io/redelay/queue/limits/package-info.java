/**
 * What names, texts and times the queue takes.
 */
@NullMarked
package io.redelay.queue.limits;

import org.jspecify.annotations.NullMarked;
