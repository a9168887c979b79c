package io.redelay.benchmarks.senders;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.redelay.benchmarks.BareScripts;
import io.redelay.benchmarks.RedissonConnection;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Each sends one message in its way and returns when Redis has it. All write the same
 * JSON.
 */
final class SenderContenders implements AutoCloseable {

	static final String LETTUCE = "lettuce";

	private static final String QUEUE = "senders";

	private final RedisServer server;

	private final JsonMapper mapper = JsonMapper.shared();

	private final AtomicLong sent = new AtomicLong();

	private final RedissonClient redisson;

	private final RedisClient lettuce;

	private final ConfigurableApplicationContext application;

	private final Map<String, Runnable> all = new LinkedHashMap<>();

	SenderContenders(RedisServer server) {
		this.server = server;
		this.redisson = RedissonConnection.open(server.uri());
		this.lettuce = RedisClient.create(server.uri().toString());
		this.application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + server.uri())
			.run();
		BareScripts limit = new BareScripts(this.redisson, "limit", new byte[0]);
		this.all.put("limit", () -> limit.send(List.of(body())).join());
		StatefulRedisConnection<byte[], byte[]> connection = this.lettuce.connect(ByteArrayCodec.INSTANCE);
		String script = connection.sync().scriptLoad(BareScripts.SEND);
		byte[][] keys = { bytes("lettuce:{bare}:messages"), bytes("lettuce:{bare}:ready") };
		this.all.put(LETTUCE, () -> connection.sync()
			.evalsha(script, ScriptOutputType.MULTI, keys, bytes("limit-0123456-" + number()), body()));
		QueueOperations queues = this.application.getBean(QueueOperations.class);
		this.all.put("redelay", () -> queues.send(OutboundMessage.to(QUEUE, parcel())));
	}

	/**
	 * Returns the contenders, by their names.
	 */
	Map<String, Runnable> all() {
		return this.all;
	}

	/**
	 * Removes what was sent.
	 */
	void clear() {
		for (String prefix : List.of("limit:{bare}", "lettuce:{bare}", "redelay:{" + QUEUE + "}")) {
			this.server.command("DEL", prefix + ":messages", prefix + ":ready");
		}
	}

	private byte[] body() {
		return this.mapper.writeValueAsBytes(parcel());
	}

	private Parcel parcel() {
		return new Parcel(number(), Parcel.FILLING);
	}

	private String number() {
		return Long.toString(this.sent.getAndIncrement(), Character.MAX_RADIX);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.application.close();
		this.lettuce.shutdown();
		this.redisson.shutdown();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
			"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
	static class Application {

	}

	/**
	 * What is sent.
	 *
	 * @param number its number
	 * @param filling makes it as long as a usual payload
	 */
	record Parcel(String number, String filling) {

		static final String FILLING = "x".repeat(150);

	}

}
