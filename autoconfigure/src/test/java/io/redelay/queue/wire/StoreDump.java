package io.redelay.queue.wire;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that Redis keeps for one queue, read in one go.
 *
 * @param messages the uids of the bodies
 * @param tries failures/crashes by uid, both always there
 * @param livesUntil when times to live are over, by uid
 * @param expiries milliseconds to live by key, -1 without an expiry
 * @param woken the lanes that were woken since the last dump, see {@link StoreWorkbench}
 * @param packed the uids of packed messages, which are among the bodies and the scheduled
 * messages as well
 */
public record StoreDump(Set<String> messages, List<String> ready, List<String> suspects, Map<String, Long> scheduled,
		Map<String, String> held, Map<String, Long> lanes, Map<String, String> tries, Map<String, Long> dead,
		Map<String, String> deadMessages, Map<String, String> ids, Map<String, Long> sleepers, Map<String, String> meta,
		Map<String, Long> expiries, List<String> woken, Set<String> cancelled, Map<String, String> history,
		Set<String> deadIds, Set<String> past, Map<String, Long> livesUntil, Map<String, String> keys,
		Map<String, String> order, List<String> waiting, Map<String, String> seats, Map<String, String> busy,
		Map<String, String> turns, Map<String, String> blocked, Map<String, Long> completed,
		Map<String, String> completedMessages, List<Note> outbox, Map<String, Long> handed, Map<String, String> work,
		List<String> tags, List<String> completedTags, List<String> inlet, Set<String> packed) {

	private static final JsonMapper JSON = JsonMapper.shared();

	private static final String SCRIPT = """
			local base = string.match(KEYS[1], '^(.-}:)')
			local dump = { lives = {} }
			for _, key in ipairs(redis.call('KEYS', base .. '*')) do
			  local name = string.sub(key, #base + 1)
			  if not string.match(name, '^test:') then
			    dump.lives[name] = redis.call('PTTL', key)
			  end
			end
			dump.messages, dump.packed = {}, {}
			local bodies = redis.call('HGETALL', base .. 'messages')
			for i = 1, #bodies, 2 do
			  if string.sub(bodies[i], 1, 1) == '@' then
			    for uid, chunk, due in string.gmatch(bodies[i + 1], '(%S+) (%d+) (%d+)') do
			      assert(redis.call('HEXISTS', base .. 'far:chunks', chunk) == 1, 'the chunk ' .. chunk .. ' is gone')
			      dump.packed[#dump.packed + 1] = uid
			      dump.packed[#dump.packed + 1] = due
			    end
			  else
			    dump.messages[#dump.messages + 1] = bodies[i]
			  end
			end
			local head = redis.call('HGET', base .. 'meta', 'far') or '0 '
			assert(head == '0 ' and #dump.packed == 0 or string.match(head, '^(%d+) ') == tostring(#dump.packed / 2), head)
			for _, name in ipairs({ 'ready', 'suspects' }) do
			  dump[name] = redis.call('LRANGE', base .. name, 0, -1)
			end
			for _, name in ipairs({ 'scheduled', 'lanes', 'dead', 'sleepers', 'expiries', 'completed', 'handed' }) do
			  dump[name] = redis.call('ZRANGE', base .. name, 0, -1, 'WITHSCORES')
			end
			for _, name in ipairs({ 'held', 'tries', 'dead:messages', 'completed:messages', 'ids', 'meta', 'history', 'keys', 'order', 'seats', 'busy', 'work' }) do
			  dump[name] = redis.call('HGETALL', base .. name)
			end
			dump.outbox = {}
			for _, entry in ipairs(redis.call('XRANGE', base .. 'outbox', '-', '+')) do
			  dump.outbox[#dump.outbox + 1] = entry[1]
			  dump.outbox[#dump.outbox + 1] = entry[2][2]
			end
			dump.tags = redis.call('ZRANGE', base .. 'tags', 0, -1)
			dump.completed_tags = redis.call('ZRANGE', base .. 'completed:tags', 0, -1)
			dump.waiting = redis.call('ZRANGE', base .. 'waiting', 0, -1)
			dump.turns = redis.call('ZRANGE', base .. 'turns', 0, -1, 'WITHSCORES')
			dump.blocked = redis.call('ZRANGE', base .. 'blocked', 0, -1, 'WITHSCORES')
			dump.dead_ids = redis.call('ZRANGE', base .. 'dead:ids', 0, -1)
			dump.cancelled = redis.call('SMEMBERS', base .. 'cancelled')
			dump.inlet = redis.call('LRANGE', KEYS[2], 0, -1)
			dump.past = redis.call('SMEMBERS', base .. 'past')
			dump.woken = redis.call('LRANGE', base .. 'test:woken', 0, -1)
			redis.call('DEL', base .. 'test:woken')
			return cjson.encode(dump)
			""";

	public static StoreDump of(RedissonClient redisson, String queue) {
		String json = redisson.getScript(StringCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE, SCRIPT, RScript.ReturnType.VALUE,
					List.of(QueueKeys.of("redelay", queue).messages(), QueueKeys.of("redelay", queue).inlet()));
		JsonNode dump = JSON.readTree(json);
		Map<String, String> tries = map(dump.get("tries"));
		tries.replaceAll((uid, entry) -> entry.contains("/") ? entry : entry + "/0");
		Map<String, Long> expiries = new HashMap<>();
		dump.get("lives").properties().forEach((entry) -> expiries.put(entry.getKey(), entry.getValue().asLong()));
		Map<String, Long> packed = scores(dump.get("packed"));
		Set<String> messages = new HashSet<>(list(dump.get("messages")));
		messages.addAll(packed.keySet());
		Map<String, Long> scheduled = scores(dump.get("scheduled"));
		scheduled.putAll(packed);
		Map<String, String> meta = map(dump.get("meta"));
		meta.remove("far");
		return new StoreDump(messages, list(dump.get("ready")), list(dump.get("suspects")), scheduled,
				map(dump.get("held")), scores(dump.get("lanes")), tries, scores(dump.get("dead")),
				map(dump.get("dead:messages")), map(dump.get("ids")), scores(dump.get("sleepers")), meta, expiries,
				list(dump.get("woken")), Set.copyOf(list(dump.get("cancelled"))), map(dump.get("history")),
				Set.copyOf(list(dump.get("dead_ids"))), Set.copyOf(list(dump.get("past"))),
				scores(dump.get("expiries")), map(dump.get("keys")), map(dump.get("order")), list(dump.get("waiting")),
				map(dump.get("seats")), map(dump.get("busy")), map(dump.get("turns")), map(dump.get("blocked")),
				scores(dump.get("completed")), map(dump.get("completed:messages")), notes(list(dump.get("outbox"))),
				scores(dump.get("handed")), map(dump.get("work")), list(dump.get("tags")),
				list(dump.get("completed_tags")), list(dump.get("inlet")), packed.keySet());
	}

	private static List<Note> notes(List<String> words) {
		List<Note> notes = new ArrayList<>();
		for (int i = 0; i < words.size(); i += 2) {
			notes.add(new Note(words.get(i), words.get(i + 1)));
		}
		return notes;
	}

	// An empty list is an empty object to Lua.
	private static List<String> list(JsonNode node) {
		List<String> list = new ArrayList<>();
		if (node.isArray()) {
			node.forEach((element) -> list.add(element.asString()));
		}
		return list;
	}

	private static Map<String, String> map(JsonNode node) {
		List<String> list = list(node);
		Map<String, String> map = new HashMap<>();
		for (int i = 0; i < list.size(); i += 2) {
			map.put(list.get(i), list.get(i + 1));
		}
		return map;
	}

	private static Map<String, Long> scores(JsonNode node) {
		Map<String, Long> scores = new HashMap<>();
		map(node).forEach((member, score) -> scores.put(member, Long.parseLong(score)));
		return scores;
	}

	/**
	 * A note in the outbox.
	 */
	public record Note(String id, String text) {

	}

}
