package io.redelay.benchmarks.option;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.redelay.benchmarks.option.SendOption.Parcel;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.work.Checkpoint;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application with a queue and a listener for each option, which is started when there
 * is something to handle.
 */
final class OptionApplication implements AutoCloseable {

	private static final int ON_THEIR_WAY = 16;

	private static final int GROUPS = 10;

	private static final int LIMIT_SECONDS = 120;

	private static final String DELIVERED = "delivered";

	private static final String BUNDLED = "bundled";

	private final ConfigurableApplicationContext context;

	private final QueueTemplate template;

	private final MessageBundles bundles;

	private final Handler handler;

	private final ExecutorService senders = Executors.newFixedThreadPool(ON_THEIR_WAY);

	private int last;

	OptionApplication(URI redis) {
		this.context = new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("redelay.queue.listener.auto-startup=false", "spring.data.redis.url=" + redis,
					"redelay.queue.queues.retention.completed.max-count=1000")
			.run();
		this.template = this.context.getBean(QueueTemplate.class);
		this.bundles = this.context.getBean(MessageBundles.class);
		this.handler = this.context.getBean(Handler.class);
		// So that the groups of the topic are there.
		drain(SendOption.TOPIC_OF_10, 0);
	}

	/**
	 * Sends messages, as many together, or singly with some on their way.
	 */
	void send(SendOption option, int together, int messages) {
		BundleCallback callback = BundleCallback.to(BUNDLED);
		Bundle open = (option == SendOption.BUNDLE_MEMBER && together == 1) ? this.bundles.open(callback) : null;
		Semaphore room = new Semaphore(ON_THEIR_WAY);
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (int rest = messages; rest > 0; rest -= together) {
			List<OutboundMessage> next = next(option, Math.min(rest, together));
			if (open != null) {
				sent.add(CompletableFuture.runAsync(() -> open.add(next), this.senders));
			}
			else if (option == SendOption.BUNDLE_MEMBER) {
				this.bundles.send(callback, next);
			}
			else if (option == SendOption.TOPIC_OF_10 && together > 1) {
				CompletableFuture
					.allOf(next.stream().map(this.template::publishAsync).toArray(CompletableFuture<?>[]::new))
					.join();
			}
			else if (together > 1) {
				this.template.sendAll(next);
			}
			else {
				room.acquireUninterruptibly();
				CompletableFuture<?> single = (option == SendOption.TOPIC_OF_10)
						? this.template.publishAsync(next.get(0)) : this.template.sendAsync(next.get(0));
				sent.add(single.whenComplete((result, failure) -> room.release()));
			}
		}
		CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)).join();
		if (open != null) {
			open.close();
		}
	}

	private List<OutboundMessage> next(SendOption option, int count) {
		List<OutboundMessage> messages = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			messages.add(option.message(new Parcel(this.last++)));
		}
		return messages;
	}

	/**
	 * Handles and acknowledges what was sent.
	 */
	void drain(SendOption option, int messages) {
		int groups = (option == SendOption.TOPIC_OF_10) ? GROUPS : 1;
		drain(option.title(), messages * groups);
	}

	/**
	 * Handles what is sent while messages are handled, or when they have ended.
	 */
	void drainRest(SendOption option, int together, int messages) {
		if (option == SendOption.IN_DELIVERY) {
			drain(DELIVERED, messages);
		}
		else if (option == SendOption.BUNDLE_MEMBER) {
			drain(BUNDLED, (together > 1) ? (messages + together - 1) / together : 1);
		}
	}

	private void drain(String listener, int messages) {
		List<QueueListenerContainer> containers = this.context.getBean(QueueListenerEndpointRegistry.class)
			.getContainers()
			.stream()
			.filter((container) -> container.getId().split("/")[0].equals(listener))
			.toList();
		containers.forEach((container) -> {
			container.start();
			container.groupsRegistered().join();
		});
		this.handler.await(messages);
		containers.forEach((container) -> container.stop(Duration.ofSeconds(LIMIT_SECONDS)).join());
	}

	@Override
	public void close() {
		this.senders.shutdown();
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
			"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
	@Import(Handler.class)
	static class Configured {

	}

	static class Handler {

		private final QueueOperations queues;

		private final Semaphore ends = new Semaphore(0);

		Handler(QueueOperations queues) {
			this.queues = queues;
		}

		@QueueListener(id = "plain", queues = "plain")
		@QueueListener(id = "id", queues = "id")
		@QueueListener(id = "tag", queues = "tag")
		@QueueListener(id = "time-to-live", queues = "time-to-live")
		@QueueListener(id = "deadline", queues = "deadline")
		@QueueListener(id = "priority", queues = "priority")
		@QueueListener(id = "fairness-key", queues = "fairness-key")
		@QueueListener(id = "ordering-key", queues = "ordering-key")
		@QueueListener(id = "first-wins", queues = "first-wins")
		@QueueListener(id = "bundle-member", queues = "bundle-member")
		@QueueListener(id = "idempotency-key", queues = "idempotency-key", idempotencyKey = "#{payload.number}")
		@QueueListener(id = "limit", queues = "limit", rateLimit = "1000000/1s")
		@QueueListener(id = "retention", queues = "retention")
		@QueueListener(id = "topic-of-10/0", topic = "topic-of-10", group = "g0")
		@QueueListener(id = "topic-of-10/1", topic = "topic-of-10", group = "g1")
		@QueueListener(id = "topic-of-10/2", topic = "topic-of-10", group = "g2")
		@QueueListener(id = "topic-of-10/3", topic = "topic-of-10", group = "g3")
		@QueueListener(id = "topic-of-10/4", topic = "topic-of-10", group = "g4")
		@QueueListener(id = "topic-of-10/5", topic = "topic-of-10", group = "g5")
		@QueueListener(id = "topic-of-10/6", topic = "topic-of-10", group = "g6")
		@QueueListener(id = "topic-of-10/7", topic = "topic-of-10", group = "g7")
		@QueueListener(id = "topic-of-10/8", topic = "topic-of-10", group = "g8")
		@QueueListener(id = "topic-of-10/9", topic = "topic-of-10", group = "g9")
		@QueueListener(id = DELIVERED, queues = DELIVERED)
		void handle(Parcel parcel) {
			this.ends.release();
		}

		@QueueListener(id = "in-delivery", queues = "in-delivery")
		void forward(Parcel parcel) {
			this.queues.send(OutboundMessage.to(DELIVERED, parcel).inDelivery());
			this.ends.release();
		}

		@QueueListener(id = "checkpoint", queues = "checkpoint")
		void save(Parcel parcel, Checkpoint<Integer> checkpoint) {
			checkpoint.saveNow(parcel.number());
			this.ends.release();
		}

		@QueueListener(id = BUNDLED, queues = BUNDLED)
		void end(BundleSummary summary) {
			this.ends.release();
		}

		void await(int messages) {
			try {
				if (!this.ends.tryAcquire(messages, LIMIT_SECONDS, TimeUnit.SECONDS)) {
					throw new IllegalStateException(
							"%d messages were not handled".formatted(messages - this.ends.availablePermits()));
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

}
