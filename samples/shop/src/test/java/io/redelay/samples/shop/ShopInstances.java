package io.redelay.samples.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Instances of the shop in one JVM that share one Redis and one database.
 */
final class ShopInstances implements AutoCloseable {

	private final RedisServer redis = RedisServer.start();

	private final String database = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000".formatted(UUID.randomUUID());

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	ConfigurableApplicationContext start(String... arguments) {
		return start(new SpringApplicationBuilder(ShopApplication.class), arguments);
	}

	ConfigurableApplicationContext start(BeanPostProcessor change, String... arguments) {
		return start(new SpringApplicationBuilder(ShopApplication.class)
			.initializers((context) -> context.getBeanFactory().addBeanPostProcessor(change)), arguments);
	}

	private ConfigurableApplicationContext start(SpringApplicationBuilder application, String... arguments) {
		// The safety net does not run: what arrives comes through the queue.
		Stream<String> common = Stream.of("--server.port=0", "--spring.main.banner-mode=off",
				"--spring.datasource.url=" + this.database, "--spring.data.redis.url=" + this.redis.uri(),
				"--shop.sweep-interval=1h");
		ConfigurableApplicationContext instance = application
			.run(Stream.concat(common, Stream.of(arguments)).toArray(String[]::new));
		this.started.add(instance);
		return instance;
	}

	static ShopClient client(ConfigurableApplicationContext instance) {
		return new ShopClient(((ServletWebServerApplicationContext) instance).getWebServer().getPort());
	}

	@Override
	public void close() {
		this.started.forEach(ConfigurableApplicationContext::close);
		this.redis.close();
	}

}
