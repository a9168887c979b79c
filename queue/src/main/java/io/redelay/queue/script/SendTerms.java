package io.redelay.queue.script;

import java.time.Duration;
import java.util.function.Consumer;

import io.redelay.queue.message.LengthLimit;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which messages are sent to a queue.
 *
 * @param maxWaiting how many messages wait at most; more are refused
 * @param limit how long the queue may be, if that is limited
 * @param handedOver for how long the queue remembers a uid, so that a repeated message is
 * ignored; {@code null} if no other instance may send the messages
 * @param requested called with the queue before each request leaves; must be quick
 * @since 0.1.0
 */
public record SendTerms(int maxWaiting, @Nullable LengthLimit limit, @Nullable Duration handedOver,
		Consumer<String> requested) {

	/**
	 * Terms of a sender that does not ask when requests leave.
	 */
	public SendTerms(int maxWaiting, @Nullable LengthLimit limit, @Nullable Duration handedOver) {
		this(maxWaiting, limit, handedOver, (queue) -> {
		});
	}

}
