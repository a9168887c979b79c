package io.redelay.benchmarks.versions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An application on one of the versions. It is loaded once for each, by a class loader of
 * its own, and so uses only what both have; who calls it has no class in common with it
 * but those of the JDK.
 *
 * @since 0.1.0
 */
public final class VersionApplication implements UnaryOperator<String>, AutoCloseable {

	/**
	 * The property of the JVM that gives the application a meter registry.
	 */
	static final String METRICS = "redelay.benchmark.metrics";

	private static final String QUEUE = "versions";

	private static final String MESSAGE_QUEUE = "versions-message";

	private static final String BATCH_QUEUE = "versions-batch";

	private static final int TOGETHER = 100;

	private static final int ON_THEIR_WAY = 16;

	private static final int MANY_ON_THEIR_WAY = 256;

	private static final int LIMIT_SECONDS = 120;

	private final Handler handler = new Handler();

	/**
	 * They live as long as the application: what a thread has allocated is known while it
	 * lives.
	 */
	private final ExecutorService senders = Executors.newFixedThreadPool(ON_THEIR_WAY);

	private final ConfigurableApplicationContext context;

	/**
	 * Starts the application.
	 * @param redis where Redis is
	 */
	public VersionApplication(String redis) {
		this.context = new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("redelay.queue.listener.auto-startup=false", "spring.data.redis.url=" + redis)
			.initializers((GenericApplicationContext each) -> register(each))
			.run();
	}

	private void register(GenericApplicationContext beans) {
		beans.registerBean(Handler.class, () -> this.handler);
		if (Boolean.getBoolean(METRICS)) {
			beans.registerBean(SimpleMeterRegistry.class, SimpleMeterRegistry::new);
		}
	}

	/**
	 * Does a part of a work.
	 * @param part {@code PREPARE}, {@code MEASURE} or {@code FINISH}, the name of a
	 * {@link VersionWork}, and how many messages
	 * @return nothing of interest
	 */
	@Override
	public String apply(String part) {
		String[] words = part.split(" ", 3);
		VersionWork work = VersionWork.valueOf(words[1]);
		int messages = Integer.parseInt(words[2]);
		try {
			switch (words[0]) {
				case "PREPARE" -> prepare(work, messages);
				case "MEASURE" -> measure(work, messages);
				default -> finish(work, messages);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		return "";
	}

	private void prepare(VersionWork work, int messages) {
		switch (work) {
			case DRAIN, MESSAGE, BATCH -> sendTogether(queue(work), messages);
			case BOTH -> start(queue(work));
			default -> {
			}
		}
	}

	private void measure(VersionWork work, int messages) throws InterruptedException {
		switch (work) {
			case SEND -> sendAndWait(messages);
			case THREADS -> sendByThreads(messages);
			case FUTURES -> sendAhead(messages, MANY_ON_THEIR_WAY);
			case BULK -> sendTogether(queue(work), messages);
			case DRAIN, MESSAGE, BATCH -> {
				start(queue(work));
				this.handler.await(messages);
			}
			case BOTH -> {
				sendAhead(messages, ON_THEIR_WAY);
				this.handler.await(messages);
			}
		}
	}

	/**
	 * Takes away what was sent, so that the next work finds no more than the first.
	 */
	private void finish(VersionWork work, int messages) throws InterruptedException {
		switch (work) {
			case SEND, THREADS, FUTURES, BULK -> {
				start(queue(work));
				this.handler.await(messages);
			}
			default -> {
			}
		}
		stop(queue(work));
	}

	private static String queue(VersionWork work) {
		return switch (work) {
			case MESSAGE -> MESSAGE_QUEUE;
			case BATCH -> BATCH_QUEUE;
			default -> QUEUE;
		};
	}

	private void sendAndWait(int messages) {
		QueueOperations queues = queues();
		for (int i = 0; i < messages; i++) {
			queues.send(QUEUE, new Parcel(i));
		}
	}

	private void sendByThreads(int messages) throws InterruptedException {
		List<Callable<Object>> parts = Collections.nCopies(ON_THEIR_WAY,
				Executors.callable(() -> sendAndWait(messages / ON_THEIR_WAY)));
		this.senders.invokeAll(parts).forEach(VersionApplication::join);
		sendAndWait(messages % ON_THEIR_WAY);
	}

	private static void join(Future<?> sent) {
		try {
			sent.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	private void sendTogether(String queue, int messages) {
		List<OutboundMessage> together = Collections.nCopies(TOGETHER, OutboundMessage.to(queue, new Parcel(1)));
		for (int sent = 0; sent < messages; sent += TOGETHER) {
			queues().sendAll(together.subList(0, Math.min(TOGETHER, messages - sent)));
		}
	}

	private void sendAhead(int messages, int onTheirWay) throws InterruptedException {
		QueueOperations queues = queues();
		Semaphore room = new Semaphore(onTheirWay);
		List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < messages; i++) {
			room.acquire();
			queues.sendAsync(OutboundMessage.to(QUEUE, new Parcel(i))).whenComplete((sent, failure) -> {
				if (failure != null) {
					failures.add(failure);
				}
				room.release();
			});
		}
		room.acquire(onTheirWay);
		if (!failures.isEmpty()) {
			throw new IllegalStateException("%d sends failed".formatted(failures.size()), failures.get(0));
		}
	}

	private QueueOperations queues() {
		return this.context.getBean(QueueOperations.class);
	}

	private void start(String queue) {
		call(container(queue), "start", new Class<?>[0]);
	}

	private void stop(String queue) {
		if (call(container(queue), "stop", new Class<?>[] { Duration.class },
				Duration.ofSeconds(LIMIT_SECONDS)) instanceof CompletableFuture<?> stopped) {
			stopped.join();
		}
	}

	private Object container(String id) {
		Collection<?> containers = this.context.getBean(QueueListenerEndpointRegistry.class).getContainers();
		return containers.stream()
			.filter((container) -> id.equals(call(container, "getId", new Class<?>[0])))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Calls a method of a type that is in another package in another version.
	 */
	private static @Nullable Object call(Object container, String method, Class<?>[] types, Object... arguments) {
		return ReflectionUtils.invokeMethod(ClassUtils.getMethod(container.getClass(), method, types), container,
				arguments);
	}

	@Override
	public void close() {
		this.senders.shutdown();
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
			"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
	static class Configured {

	}

	/**
	 * What is sent.
	 *
	 * @param number its number
	 * @param filling makes it as long as a usual payload
	 */
	record Parcel(int number, String filling) {

		private static final String FILLING = "x".repeat(150);

		Parcel(int number) {
			this(number, FILLING);
		}

	}

	static class Handler {

		private final Semaphore ends = new Semaphore(0);

		@QueueListener(id = QUEUE, queues = QUEUE)
		void handle(Parcel parcel) {
			this.ends.release();
		}

		@QueueListener(id = MESSAGE_QUEUE, queues = MESSAGE_QUEUE)
		void handle(Message<Parcel> parcel) {
			this.ends.release();
		}

		@QueueListener(id = BATCH_QUEUE, queues = BATCH_QUEUE)
		void handle(List<Parcel> parcels) {
			this.ends.release(parcels.size());
		}

		void await(int messages) throws InterruptedException {
			if (!this.ends.tryAcquire(messages, LIMIT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException(
						"%d messages were not handled".formatted(messages - this.ends.availablePermits()));
			}
		}

	}

}
