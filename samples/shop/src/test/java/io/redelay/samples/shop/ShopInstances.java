package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Path;
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
 * Instances of the shop that share one Redis and one database, in this JVM or as
 * processes of their own.
 */
final class ShopInstances implements AutoCloseable {

	private final RedisServer redis = RedisServer.start();

	private final String database;

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	private final List<ShopProcess> processes = new ArrayList<>();

	/**
	 * Instances in this JVM.
	 */
	ShopInstances() {
		this("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000".formatted(UUID.randomUUID()));
	}

	/**
	 * Instances that share a file. The first one of them runs the database, and another
	 * one takes over when it dies.
	 */
	ShopInstances(Path database) {
		this(url(database));
	}

	private ShopInstances(String database) {
		this.database = database;
	}

	static String url(Path database) {
		return "jdbc:h2:file:%s;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(database);
	}

	ConfigurableApplicationContext start(String... arguments) {
		return start(new SpringApplicationBuilder(ShopApplication.class), arguments);
	}

	ConfigurableApplicationContext start(BeanPostProcessor change, String... arguments) {
		return start(new SpringApplicationBuilder(ShopApplication.class)
			.initializers((context) -> context.getBeanFactory().addBeanPostProcessor(change)), arguments);
	}

	private ConfigurableApplicationContext start(SpringApplicationBuilder application, String... arguments) {
		ConfigurableApplicationContext instance = application.run(all(arguments).toArray(String[]::new));
		this.started.add(instance);
		return instance;
	}

	/**
	 * Starts an instance that can be killed.
	 */
	ShopProcess startProcess(Path log, String... arguments) throws IOException {
		ShopProcess process = ShopProcess.start(log, all(arguments));
		this.processes.add(process);
		return process;
	}

	private List<String> all(String... arguments) {
		// The safety net does not run: what arrives comes through the queue.
		Stream<String> common = Stream.of("--server.port=0", "--spring.main.banner-mode=off",
				"--spring.datasource.url=" + this.database, "--spring.data.redis.url=" + this.redis.uri(),
				"--shop.sweep-interval=1h", "--shop.exports.folder=target/exports");
		return Stream.concat(
				common.filter((argument) -> Stream.of(arguments)
					.noneMatch((other) -> other.startsWith(argument.substring(0, argument.indexOf('=') + 1)))),
				Stream.of(arguments))
			.toList();
	}

	static ShopClient client(ConfigurableApplicationContext instance) {
		return new ShopClient(((ServletWebServerApplicationContext) instance).getWebServer().getPort());
	}

	@Override
	public void close() {
		this.processes.forEach(ShopProcess::close);
		this.started.forEach(ConfigurableApplicationContext::close);
		this.redis.close();
	}

}
