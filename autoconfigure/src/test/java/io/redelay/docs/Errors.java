package io.redelay.docs;

// tag::imports[]
import java.time.Duration;

import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.work.DeliveryInfo;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

// end::imports[]

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
			orders.report("print " + message.getPayload()); // <3>
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
	MessageRetryListener alarm(Orders orders) {
		return new MessageRetryListener() {

			@Override
			public void onDead(DeliveryInfo delivery, DeathReason reason, Throwable failure) {
				orders.report("dead " + delivery.queue() + " " + reason);
			}

		};
	}
	// end::retry-listener[]

	// tag::send-interceptor[]
	@Bean
	SendInterceptor tenantOfSender(Tenant tenant) {
		return new SendInterceptor() {

			@Override
			public OutboundMessage beforeSend(OutboundMessage message) {
				return message.header("tenant-id", tenant.get());
			}

		};
	}
	// end::send-interceptor[]

	// tag::delivery-interceptor[]
	@Bean
	DeliveryInterceptor tenantOfMessage(Tenant tenant) {
		return new DeliveryInterceptor() {

			@Override
			public Message<?> beforeHandling(Message<?> message) {
				tenant.set(message.getHeaders().get("tenant-id", String.class));
				return message;
			}

			@Override
			public void clearThreadState(Message<?> message) {
				tenant.clear();
			}

		};
	}
	// end::delivery-interceptor[]

	// tag::global-interceptor[]
	@Bean
	@GlobalInterceptor
	DeliveryInterceptor journal(Orders orders) {
		return new DeliveryInterceptor() {

			@Override
			public void afterHandling(Message<?> message, Throwable failure) {
				orders.report(message.getHeaders().get(QueueHeaders.LISTENER) + " "
						+ ((failure == null) ? "done" : "failed"));
			}

		};
	}
	// end::global-interceptor[]

	// tag::masker[]
	@Bean
	PayloadMasker masker() {
		return (payload, contentType) -> payload.length + " bytes of " + contentType;
	}
	// end::masker[]

	@Bean
	Tenant tenant() {
		return new Tenant();
	}

	@Bean
	Letters letters(Orders orders, Tenant tenant) {
		return new Letters(orders, tenant);
	}

	/**
	 * Handlers that fail.
	 */
	static class Letters {

		private final Orders orders;

		private final Tenant tenant;

		Letters(Orders orders, Tenant tenant) {
			this.orders = orders;
			this.tenant = tenant;
		}

		// tag::delivery-interceptor-use[]
		@QueueListener(queues = "parcels", interceptors = "tenantOfMessage")
		void deliverParcel(String parcel) {
			this.orders.report("parcel " + parcel + " of " + this.tenant.get());
		}
		// end::delivery-interceptor-use[]

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

	/**
	 * Whose thread this is.
	 */
	static class Tenant {

		private final ThreadLocal<String> name = ThreadLocal.withInitial(() -> "nobody");

		String get() {
			return this.name.get();
		}

		void set(String name) {
			this.name.set(name);
		}

		void clear() {
			this.name.remove();
		}

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
