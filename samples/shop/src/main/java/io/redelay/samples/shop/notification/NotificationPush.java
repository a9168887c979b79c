package io.redelay.samples.shop.notification;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Service;

/**
 * Sends a notification to all instances, for none knows which of them the front end is
 * connected to; and each tries to push it.
 */
@Service
class NotificationPush {

	static final String TOPIC = "notifications";

	private final QueueOperations queues;

	private final FrontEnd frontEnd;

	NotificationPush(QueueOperations queues, FrontEnd frontEnd) {
		this.queues = queues;
		this.frontEnd = frontEnd;
	}

	void publish(Notification notification) {
		this.queues.publish(OutboundMessage.to(TOPIC, notification).id(notification.id()));
	}

	/**
	 * Without a group, each instance gets each notification.
	 */
	@QueueListener(topic = TOPIC)
	void push(Notification notification) {
		this.frontEnd.push(notification);
	}

}
