package io.redelay.benchmarks.peers.contender;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.redelay.benchmarks.BareScripts;
import io.redelay.embedded.redis.RedisServer;
import tools.jackson.databind.json.JsonMapper;

/**
 * The bare script that sends, through Lettuce: all threads share one connection, on which
 * their requests follow each other without waiting for answers.
 */
final class LettuceClient implements Client {

	private static final String MESSAGES = "lettuce:{bare}:messages";

	private final RedisServer server;

	private final RedisClient client;

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final String script;

	private final byte[][] keys = { bytes(MESSAGES), bytes("lettuce:{bare}:ready") };

	private final JsonMapper mapper = JsonMapper.shared();

	private final AtomicLong sent = new AtomicLong();

	LettuceClient(RedisServer server, Setup setup, OrderHandler handler) {
		if (setup.queues() > 1) {
			throw new NotOfferedException("one queue only");
		}
		this.server = server;
		this.client = RedisClient.create(server.uri().toString());
		this.connection = this.client.connect(ByteArrayCodec.INSTANCE);
		this.script = this.connection.sync().scriptLoad(BareScripts.SEND);
	}

	@Override
	public void send(Order order) {
		this.connection.sync().evalsha(this.script, ScriptOutputType.MULTI, this.keys, arguments(List.of(order)));
	}

	@Override
	public CompletionStage<?> sendAsync(Order order) {
		return this.connection.async()
			.evalsha(this.script, ScriptOutputType.MULTI, this.keys, arguments(List.of(order)));
	}

	@Override
	public void sendAll(List<Order> orders) {
		this.connection.sync().evalsha(this.script, ScriptOutputType.MULTI, this.keys, arguments(orders));
	}

	private byte[][] arguments(List<Order> orders) {
		byte[][] arguments = new byte[orders.size() * 2][];
		for (int i = 0; i < arguments.length; i += 2) {
			arguments[i] = bytes("limit-0123456-" + Long.toString(this.sent.getAndIncrement(), Character.MAX_RADIX));
			arguments[i + 1] = this.mapper.writeValueAsBytes(orders.get(i / 2));
		}
		return arguments;
	}

	@Override
	public void listen() {
		throw new NotOfferedException("it only sends");
	}

	@Override
	public long left() {
		return RedisCommands.count(this.server, "HLEN", MESSAGES);
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
