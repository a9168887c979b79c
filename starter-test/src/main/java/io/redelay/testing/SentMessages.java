package io.redelay.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.assertj.core.api.AssertProvider;

/**
 * The sent messages, in the order in which their sends ended. {@code assertThat(sent)} of
 * AssertJ gives assertions on it.
 * <p>
 * A message that waits for the commit of a transaction is included after the commit; one
 * that was rolled back, refused or failed is not. In an application context it is empty
 * when a test method begins. Safe for use by many threads; tests that run at the same
 * time on one context share it.
 *
 * @since 0.1.0
 */
public final class SentMessages implements AssertProvider<SentMessagesAssert> {

	private final List<SentMessage> messages = new CopyOnWriteArrayList<>();

	private final AtomicInteger count = new AtomicInteger();

	void add(SentMessage message) {
		this.messages.add(message);
		this.count.incrementAndGet();
	}

	/**
	 * The number of all messages ever sent, including the cleared ones.
	 */
	int count() {
		return this.count.get();
	}

	/**
	 * All messages.
	 * @return a copy
	 */
	public List<SentMessage> all() {
		return List.copyOf(this.messages);
	}

	/**
	 * The messages to one queue.
	 * @param queue the queue
	 * @return a copy
	 */
	public List<SentMessage> to(String queue) {
		return this.messages.stream().filter((message) -> message.queue().equals(queue)).toList();
	}

	/**
	 * Removes the messages sent so far.
	 */
	public void clear() {
		this.messages.clear();
	}

	/**
	 * For {@code assertThat} of AssertJ.
	 */
	@Override
	public SentMessagesAssert assertThat() {
		return new SentMessagesAssert(this);
	}

	@Override
	public String toString() {
		return this.messages.toString();
	}

}
