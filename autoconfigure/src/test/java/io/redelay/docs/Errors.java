package io.redelay.docs;

import java.time.Duration;

import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.QueueErrorHandler;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryListener;
import io.redelay.queue.RetryMessageException;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * The code of the chapter "Errors and interceptors".
 */
@Configuration(proxyBeanMethods = false)
class Errors {

	// tag::error-handler[]
	@Bean
	QueueErrorHandler mailErrors(Orders orders) {
		return (message, failure) -> {
			if (failure instanceof MailServerBusyException) {
				throw new RetryMessageException(Duration.ofMinutes(5)); // <1>
			}
			if (!(failure instanceof MailboxFullException)) {
				throw failure; // <2>
			}
			orders.tell("print " + message.getPayload()); // <3>
		};
	}
	// end::error-handler[]

	// tag::backoff[]
	@Bean
	BackOff patient() {
		ExponentialBackOff backOff = new ExponentialBackOff(1000, 2);
		backOff.setMaxAttempts(3); // a fourth failure is the last one
		return backOff;
	}
	// end::backoff[]

	// tag::retry-listener[]
	@Bean
	RetryListener alarm(Orders orders) {
		return new RetryListener() {

			@Override
			public void onDead(DeliveryInfo delivery, DeathReason reason, Throwable failure) {
				orders.tell("dead " + delivery.queue() + " " + reason);
			}

		};
	}
	// end::retry-listener[]

	@Bean
	Letters letters() {
		return new Letters();
	}

	/**
	 * Handlers that fail.
	 */
	static class Letters {

		// tag::error-handler-use[]
		@QueueListener(queues = "letters", errorHandler = "mailErrors")
		void deliver(String address) {
			throw new MailboxFullException("The mailbox of " + address + " is full");
		}
		// end::error-handler-use[]

		// tag::backoff-use[]
		@QueueListener(queues = "newsletters", backoff = @Backoff(bean = "patient"))
		void deliverNews(String address) {
			throw new RejectMessageException("Nobody reads that");
		}
		// end::backoff-use[]

	}

	@SuppressWarnings("serial")
	static class MailboxFullException extends RuntimeException {

		MailboxFullException(String message) {
			super(message);
		}

	}

	@SuppressWarnings("serial")
	static class MailServerBusyException extends RuntimeException {

	}

}
