package io.redelay.autoconfigure;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.LeaseLostEvent;
import io.redelay.queue.event.TopicGroupEvent;
import org.apache.commons.logging.Log;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes events of topics and listeners to the application, whose failures it logs.
 */
record GuardedPublisher(ApplicationEventPublisher publisher) {

	private static final Log logger = PlainLog.of(GuardedPublisher.class);

	/**
	 * The publisher for what handles failures itself.
	 */
	ApplicationEventPublisher unguarded() {
		return this.publisher;
	}

	void publish(TopicGroupEvent event) {
		publish(event, "topic '" + event.topic() + "'");
	}

	void publish(LeaseLostEvent event) {
		publish(event, "listener '" + event.listener() + "'");
	}

	private void publish(Object event, String concerned) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener to " + event.getClass().getSimpleName() + " failed, which changes nothing for the "
					+ concerned, ex);
		}
	}

}
