package io.redelay.samples.shop.order;

import java.time.Instant;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.timeline.OrderEventKind;
import io.redelay.samples.shop.timeline.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Cancels an order that is not paid in time: a message that comes when the time is up.
 */
@Component
class PaymentTimeout {

	static final String QUEUE = "payment-timeout";

	private static final Logger logger = LoggerFactory.getLogger(PaymentTimeout.class);

	private final QueueOperations queues;

	private final OrderRepository orders;

	private final Timeline timeline;

	PaymentTimeout(QueueOperations queues, OrderRepository orders, Timeline timeline) {
		this.queues = queues;
		this.orders = orders;
		this.timeline = timeline;
	}

	/**
	 * To be called in the transaction that inserts the order: the message is sent after
	 * the commit, and not at all after a rollback.
	 */
	void start(ShopOrder order) {
		this.queues.send(timeIsUp(order.id()).delay(order.timeToPay()));
	}

	/**
	 * A message may come twice; the second time there is nothing left to cancel.
	 */
	@QueueListener(QUEUE)
	void cancel(TimeIsUp message) {
		if (this.orders.cancel(message.orderId(), Instant.now())) {
			logger.info("Order {} was not paid in time and is cancelled", message.orderId());
			this.orders.findById(message.orderId())
				.ifPresent((order) -> this.timeline.add(order.id(), order.email(), OrderEventKind.CANCELLED));
		}
	}

	/**
	 * The safety net. An instance that dies between the commit and the send leaves an
	 * order without a message, and so does a Redis that loses its data. Both show as an
	 * order that is pending past its time. While its message lives after all, another one
	 * of the same id is a duplicate and adds nothing.
	 */
	@Scheduled(fixedDelayString = "${shop.sweep-interval}")
	void sendAgain() {
		Instant longAgo = Instant.now().minusSeconds(5);
		this.queues.sendAll(this.orders.findPendingPayBy(longAgo).stream().map(this::timeIsUp).toList());
	}

	private OutboundMessage timeIsUp(String orderId) {
		return OutboundMessage.to(QUEUE, new TimeIsUp(orderId)).id(orderId);
	}

	/**
	 * Says that the time to pay an order is up.
	 */
	record TimeIsUp(String orderId) {

	}

}
