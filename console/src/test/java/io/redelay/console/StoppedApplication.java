package io.redelay.console;

import java.time.Duration;
import java.util.Map;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.recurring.RecurringMessage;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.awaitility.Awaitility.await;

/**
 * Leaves in a Redis what an application has left that was stopped: a message that died,
 * one that waits, one that is scheduled, one whose time to live is over, a recurring
 * message and a topic.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StoppedApplication {

	static void leaveIn(RedisServer server) {
		leaveIn("--spring.data.redis.url=" + server.uri());
	}

	/**
	 * Leaves it in a Redis.
	 * @param redis where it is, as arguments of the application
	 */
	static void leaveIn(String... redis) {
		try (ConfigurableApplicationContext application = new SpringApplicationBuilder(StoppedApplication.class)
			.web(WebApplicationType.NONE)
			.properties("redelay.queue.instance-name=shop-1")
			.run(redis)) {
			QueueOperations queues = application.getBean(QueueOperations.class);
			queues.send(OutboundMessage.to("payments", Map.of("amount", 7, "password", "geheim"))
				.id("payment-7")
				.tag("customer-1"));
			queues.send(OutboundMessage.to("reminders", "later").id("reminder-1").delay(Duration.ofHours(1)));
			queues.publish("order-events", "paid");
			QueueAdmin admin = application.getBean(QueueAdmin.class);
			await().until(() -> admin.queues().info("payments").dead() == 1);
			// Nothing sweeps them: the application ends before the first round.
			queues.send(OutboundMessage.to("quotes", "old").timeToLive(Duration.ofMillis(1)));
			queues.send(OutboundMessage.to("orders", Map.of("order", 1)).id("order-1"));
		}
	}

	@QueueListener(queues = "payments", maxAttempts = "1")
	void pay(Map<String, Object> payment) {
		throw new IllegalStateException("The bank does not answer");
	}

	@QueueListener(topic = "order-events", group = "billing")
	void bill(String event) {
	}

	@RecurringMessage(name = "nightly", cron = "0 0 2 * * *")
	@QueueListener("reports")
	void report(String nothing) {
	}

}
