package io.redelay.testing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;

/**
 * Assertions on sent messages.
 *
 * @since 0.1.0
 */
public final class SentMessagesAssert extends AbstractAssert<SentMessagesAssert, SentMessages> {

	SentMessagesAssert(SentMessages actual) {
		super(actual, SentMessagesAssert.class);
	}

	/**
	 * Something was sent to a queue.
	 * @param queue the queue
	 * @return this
	 */
	public SentMessagesAssert hasSentTo(String queue) {
		if (this.actual.to(queue).isEmpty()) {
			failWithMessage("Expected a message to the queue '%s', and what was sent is: %s", queue, this.actual);
		}
		return this;
	}

	/**
	 * So many messages were sent to a queue.
	 * @param queue the queue
	 * @param times how many
	 * @return this
	 */
	public SentMessagesAssert hasSentTo(String queue, int times) {
		int count = this.actual.to(queue).size();
		if (count != times) {
			failWithMessage("Expected %d messages to the queue '%s' and not %d; what was sent is: %s", times, queue,
					count, this.actual);
		}
		return this;
	}

	/**
	 * Nothing was sent to a queue.
	 * @param queue the queue
	 * @return this
	 */
	public SentMessagesAssert hasNotSentTo(String queue) {
		return hasSentTo(queue, 0);
	}

	/**
	 * Nothing was sent at all.
	 * @return this
	 */
	public SentMessagesAssert isEmpty() {
		if (!this.actual.all().isEmpty()) {
			failWithMessage("Expected that nothing was sent, and what was sent is: %s", this.actual);
		}
		return this;
	}

	/**
	 * A message with a payload was sent to a queue.
	 * @param queue the queue
	 * @param payload the expected payload
	 * @return this
	 */
	public SentMessagesAssert hasSent(String queue, Object payload) {
		if (withPayload(queue, payload).isEmpty()) {
			failWithMessage("Expected the payload %s in the queue '%s', and what was sent is: %s", payload, queue,
					this.actual);
		}
		return this;
	}

	/**
	 * A message with a payload was sent to a queue, to be delivered after a delay.
	 * @param queue the queue
	 * @param payload the expected payload
	 * @param delay the delay that its sender gave it
	 * @return this
	 */
	public SentMessagesAssert hasSent(String queue, Object payload, Duration delay) {
		if (withPayload(queue, payload).stream()
			.noneMatch((message) -> Objects.equals(message.message().timing().delay(), delay))) {
			failWithMessage("Expected the payload %s in the queue '%s' with a delay of %s, and what was sent is: %s",
					payload, queue, delay, this.actual);
		}
		return this;
	}

	/**
	 * Goes on with the messages to one queue.
	 * @param queue the queue
	 * @return the assertions of AssertJ on a list
	 */
	public ListAssert<SentMessage> to(String queue) {
		return Assertions.assertThat(this.actual.to(queue));
	}

	/**
	 * Goes on with the payloads of the messages to one queue.
	 * @param queue the queue
	 * @return the assertions of AssertJ on a list
	 */
	public ListAssert<Object> payloadsTo(String queue) {
		return Assertions.assertThat(this.actual.to(queue).stream().map(SentMessage::payload).toList());
	}

	private List<SentMessage> withPayload(String queue, Object payload) {
		return this.actual.to(queue)
			.stream()
			.filter((message) -> Objects.deepEquals(message.payload(), payload))
			.toList();
	}

}
