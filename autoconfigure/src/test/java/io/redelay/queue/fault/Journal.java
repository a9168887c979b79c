package io.redelay.queue.fault;

import java.util.List;

import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * What handlers of all processes write down, in Redis so that it outlives them. A line is
 * {@code event payload instance}.
 */
@Component
class Journal {

	private final RedissonClient redisson;

	private final String queue;

	private final String instance;

	Journal(RedissonClient redisson, @Value("${test.queue}") String queue,
			@Value("${test.instance:here}") String instance) {
		this.redisson = redisson;
		this.queue = queue;
		this.instance = instance;
	}

	void write(String event, String payload) {
		this.redisson.<String>getList("journal:" + this.queue, StringCodec.INSTANCE)
			.add(event + " " + payload + " " + this.instance);
	}

	static List<String> read(RedissonClient redisson, String queue) {
		return redisson.<String>getList("journal:" + queue, StringCodec.INSTANCE).readAll();
	}

	static List<String> read(RedissonClient redisson, String queue, String event) {
		return read(redisson, queue).stream().filter((line) -> line.startsWith(event + " ")).toList();
	}

	static List<String> payloads(RedissonClient redisson, String queue, String event) {
		return read(redisson, queue, event).stream().map((line) -> line.split(" ")[1]).toList();
	}

}
