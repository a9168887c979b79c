package io.redelay.benchmarks.versions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

	private static final int TOGETHER = 100;

	private static final int ON_THEIR_WAY = 16;

	private static final int LIMIT_SECONDS = 120;

	private final Handler handler = new Handler();

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
	 * Does some work.
	 * @param work the name of a {@link VersionWork}, a blank, and how many messages
	 * @return nothing of interest
	 */
	@Override
	public String apply(String work) {
		String[] words = work.split(" ", 2);
		int messages = Integer.parseInt(words[1]);
		try {
			switch (VersionWork.valueOf(words[0])) {
				case SEND -> send(messages);
				case DRAIN -> {
					start();
					this.handler.await(messages);
				}
				case BOTH -> {
					sendSingly(messages);
					this.handler.await(messages);
					stop();
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		return "";
	}

	private void send(int messages) {
		List<OutboundMessage> together = Collections.nCopies(TOGETHER, OutboundMessage.to(QUEUE, new Parcel(1)));
		for (int sent = 0; sent < messages; sent += TOGETHER) {
			queues().sendAll(together);
		}
	}

	private void sendSingly(int messages) throws InterruptedException {
		Semaphore room = new Semaphore(ON_THEIR_WAY);
		List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < messages; i++) {
			room.acquire();
			queues().sendAsync(OutboundMessage.to(QUEUE, new Parcel(i))).whenComplete((sent, failure) -> {
				if (failure != null) {
					failures.add(failure);
				}
				room.release();
			});
		}
		room.acquire(ON_THEIR_WAY);
		if (!failures.isEmpty()) {
			throw new IllegalStateException("%d sends failed".formatted(failures.size()), failures.get(0));
		}
	}

	private QueueOperations queues() {
		return this.context.getBean(QueueOperations.class);
	}

	private void start() {
		containers().forEach((container) -> call(container, "start", new Class<?>[0]));
	}

	private void stop() {
		containers().forEach((container) -> {
			if (call(container, "stop", new Class<?>[] { Duration.class },
					Duration.ofSeconds(LIMIT_SECONDS)) instanceof CompletableFuture<?> stopped) {
				stopped.join();
			}
		});
	}

	private List<Object> containers() {
		Collection<?> containers = this.context.getBean(QueueListenerEndpointRegistry.class).getContainers();
		return List.copyOf(containers);
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

		@QueueListener(QUEUE)
		void handle(Parcel parcel) {
			this.ends.release();
		}

		void await(int messages) throws InterruptedException {
			if (!this.ends.tryAcquire(messages, LIMIT_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException(
						"%d messages were not handled".formatted(messages - this.ends.availablePermits()));
			}
		}

	}

}
