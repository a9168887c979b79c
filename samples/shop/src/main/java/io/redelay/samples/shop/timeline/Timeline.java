package io.redelay.samples.shop.timeline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.QueueListener;

import org.springframework.stereotype.Service;

/**
 * Writes down what happens to the orders of a customer, in the order in which it
 * happened.
 * <p>
 * The key that keeps the order is in the configuration of the queue,
 * {@code redelay.queue.queues.order-events.ordering-key}: messages of one customer are
 * handled one at a time and as they were sent, over all instances and through failures,
 * and those of different customers side by side.
 */
@Service
public class Timeline {

	static final String QUEUE = "order-events";

	private final OutboxOperations outbox;

	private final TimelineRepository entries;

	Timeline(OutboxOperations outbox, TimelineRepository entries) {
		this.outbox = outbox;
		this.entries = entries;
	}

	/**
	 * To be called in the transaction that changes the order, which writes the message
	 * into the outbox as well. What one customer's transactions write is sent in their
	 * order.
	 */
	public void add(String orderId, String email, OrderEventKind kind) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		this.outbox.send(QUEUE, new OrderEvent(orderId, email, kind, now));
	}

	/**
	 * A message may come twice; what is written down is not written down again.
	 */
	@QueueListener(queues = QUEUE, concurrency = "8")
	void write(OrderEvent event) {
		if (!this.entries.existsByOrderIdAndKind(event.orderId(), event.kind())) {
			this.entries.insert(event);
		}
	}

	List<TimelineEntry> find(String email) {
		return this.entries.findByEmailOrderById(email);
	}

}
