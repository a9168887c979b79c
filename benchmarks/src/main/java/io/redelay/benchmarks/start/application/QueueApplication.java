package io.redelay.benchmarks.start.application;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with Redelay and one listener, which takes one message.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class QueueApplication {

	public static void main(String... args) throws IOException, InterruptedException {
		StartedApplication.run(QueueApplication.class, args, (context) -> {
		}, QueueApplication::sendAndWait);
	}

	private static void sendAndWait(ConfigurableApplicationContext context) {
		context.getBean(QueueOperations.class).send("orders", "one");
		try {
			if (!context.getBean(Orders.class).handled.await(2, TimeUnit.MINUTES)) {
				throw new IllegalStateException("The message was not handled");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while a message was handled", ex);
		}
	}

	@Bean
	Orders orders() {
		return new Orders();
	}

	static class Orders {

		private final CountDownLatch handled = new CountDownLatch(1);

		@QueueListener("orders")
		void handle(String order) {
			this.handled.countDown();
		}

	}

}
