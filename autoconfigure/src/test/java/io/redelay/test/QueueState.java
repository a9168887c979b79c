package io.redelay.test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at what Redis holds of a queue.
 */
public final class QueueState {

	private final RedissonClient client;

	private final String base;

	private QueueState(RedissonClient client, String queue) {
		this.client = client;
		this.base = "redelay:{" + queue + "}:";
	}

	public static QueueState of(TestRedis redis, String queue) {
		return new QueueState(redis.client(), queue);
	}

	public static Instant now(TestRedis redis) {
		List<Object> time = redis.client()
			.getScript(StringCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE, "return redis.call('TIME')", RScript.ReturnType.LIST);
		return Instant.ofEpochSecond(Long.parseLong(time.get(0).toString()),
				1000 * Long.parseLong(time.get(1).toString()));
	}

	/**
	 * The envelopes of all that is not dead, by uid.
	 */
	public Map<String, JsonNode> messages() {
		return parse(this.client.<String, String>getMap(this.base + "messages", StringCodec.INSTANCE).readAllMap());
	}

	public Collection<String> raw() {
		return this.client.<String, String>getMap(this.base + "messages", StringCodec.INSTANCE).readAllMap().values();
	}

	/**
	 * The uids that are held by some lane.
	 */
	public long held() {
		return this.client.<String, String>getMap(this.base + "held", StringCodec.INSTANCE)
			.readAllKeySet()
			.stream()
			.filter((key) -> !key.startsWith("@"))
			.count();
	}

	public int ready() {
		return this.client.getList(this.base + "ready", StringCodec.INSTANCE).size();
	}

	public int scheduled() {
		return this.client.getScoredSortedSet(this.base + "scheduled", StringCodec.INSTANCE).size();
	}

	public int tries() {
		return size("tries");
	}

	private int size(String map) {
		return this.client.getMap(this.base + map, StringCodec.INSTANCE).size();
	}

	/**
	 * The dead messages, each as an object with the properties {@code envelope} and
	 * {@code cause}.
	 */
	public List<Dead> dead() {
		Map<String, String> all = this.client.<String, String>getMap(this.base + "dead:messages", StringCodec.INSTANCE)
			.readAllMap();
		JsonMapper mapper = JsonMapper.shared();
		return all.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().contains("/") && !entry.getKey().equals("@bytes"))
			.map((entry) -> new Dead(entry.getValue(), mapper.readTree(all.get(entry.getKey() + "/cause")),
					Optional.ofNullable(all.get(entry.getKey() + "/history")).stream().flatMap(String::lines).toList()))
			.toList();
	}

	/**
	 * How many bytes of dead messages the queue counts.
	 */
	public long deadBytes() {
		String bytes = this.client.<String, String>getMap(this.base + "dead:messages", StringCodec.INSTANCE)
			.get("@bytes");
		return (bytes != null) ? Long.parseLong(bytes) : 0;
	}

	public Dead awaitDead() {
		return Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.until(this::dead, (dead) -> dead.size() == 1)
			.get(0);
	}

	/**
	 * Waits until nothing is left of the queue's messages but dead ones.
	 */
	public void awaitDrained() {
		Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> size("messages") == 0 && held() == 0);
	}

	/**
	 * Puts a message into the queue as another program would.
	 */
	public void put(String uid, String envelope) {
		this.client.getMap(this.base + "messages", StringCodec.INSTANCE).put(uid, envelope);
		this.client.getList(this.base + "ready", StringCodec.INSTANCE).add(uid);
	}

	private static Map<String, JsonNode> parse(Map<String, String> values) {
		Map<String, JsonNode> parsed = new LinkedHashMap<>();
		values.forEach((uid, value) -> parsed.put(uid, JsonMapper.shared().readTree(value)));
		return parsed;
	}

	/**
	 * A dead message.
	 */
	public record Dead(String raw, JsonNode cause, List<String> history) {

		public JsonNode envelope() {
			return JsonMapper.shared().readTree(this.raw.getBytes(StandardCharsets.UTF_8));
		}

		public String reason() {
			return this.cause.get("reason").asString();
		}

		public String message() {
			return this.cause.get("message").asString();
		}

	}

}
