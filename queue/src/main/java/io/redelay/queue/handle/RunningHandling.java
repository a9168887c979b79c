package io.redelay.queue.handle;

import org.jspecify.annotations.Nullable;

/**
 * What the handler of a delivery does at a moment. Without a thread and a result that is
 * awaited, it has returned, and may acknowledge its message at any time.
 *
 * @param nanos how long ago it was called
 * @param messages for how many messages it was called
 * @param batch whether it handles batches
 * @param thread the thread that works on the delivery, if there is one
 * @param awaited the class of what the handler returned, if its completion is awaited
 * @since 0.1.0
 */
public record RunningHandling(long nanos, int messages, boolean batch, @Nullable Thread thread,
		@Nullable Class<?> awaited) {

}
