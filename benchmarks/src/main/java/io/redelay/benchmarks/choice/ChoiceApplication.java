package io.redelay.benchmarks.choice;

import java.net.URI;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.test.redis.RedisCluster;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/**
 * An application with listeners that are started later.
 */
final class ChoiceApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	/**
	 * Starts an application.
	 * @param redis where Redis is
	 * @param queues the queues of each listener, with commas between them; none for an
	 * application that only sends
	 * @param handler handles what comes
	 * @param properties further properties
	 */
	ChoiceApplication(URI redis, List<String> queues, Consumer<Parcel> handler, String... properties) {
		this(queues, handler, Stream.concat(Stream.of("spring.data.redis.url=" + redis), Arrays.stream(properties)));
	}

	/**
	 * Starts an application on a cluster.
	 * @param redis the cluster
	 * @param queues the queues of each listener, with commas between them
	 * @param handler handles what comes
	 * @param properties further properties
	 */
	ChoiceApplication(RedisCluster redis, List<String> queues, Consumer<Parcel> handler, String... properties) {
		this(queues, handler,
				Stream.concat(Stream.of("spring.data.redis.cluster.nodes=" + nodes(redis)), Arrays.stream(properties)));
	}

	private ChoiceApplication(List<String> queues, Consumer<Parcel> handler, Stream<String> properties) {
		this.context = new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("redelay.queue.listener.auto-startup=false")
			.properties(properties.toArray(String[]::new))
			.initializers((GenericApplicationContext each) -> register(each, queues, handler))
			.run();
	}

	private static String nodes(RedisCluster redis) {
		return redis.nodes().stream().map((node) -> node.host() + ":" + node.port()).collect(Collectors.joining(","));
	}

	private static void register(GenericApplicationContext context, List<String> queues, Consumer<Parcel> handler) {
		context.registerBean("shares", Shares.class, () -> new Shares(queues));
		for (int i = 0; i < queues.size(); i++) {
			context.registerBean("listener" + i, Listener.class, () -> new Listener(handler));
		}
	}

	QueueTemplate template() {
		return this.context.getBean(QueueTemplate.class);
	}

	void listen() {
		this.context.getBean(QueueListenerEndpointRegistry.class)
			.getContainers()
			.forEach(QueueListenerContainer::start);
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
	 * Gives each listener its queues.
	 */
	static final class Shares {

		private final Deque<String> left;

		Shares(List<String> queues) {
			this.left = new ArrayDeque<>(queues);
		}

		/**
		 * Called from the attribute of a listener.
		 * @return the queues of the next listener
		 */
		public String next() {
			return this.left.remove();
		}

	}

	static class Listener {

		private final Consumer<Parcel> handler;

		Listener(Consumer<Parcel> handler) {
			this.handler = handler;
		}

		@QueueListener("#{@shares.next()}")
		void handle(Parcel parcel) {
			this.handler.accept(parcel);
		}

	}

}
