package io.redelay.queue.wire;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.limits.GroupName;
import org.jspecify.annotations.Nullable;

/**
 * The names of all keys of one queue, which share a hash tag and so a slot.
 */
public final class QueueKeys {

	private final String queue;

	private final String sentPrefix;

	private final Map<ScriptKey, String> names;

	private QueueKeys(String queue, String sentPrefix, Map<ScriptKey, String> names) {
		this.queue = queue;
		this.sentPrefix = sentPrefix;
		this.names = names;
	}

	public static QueueKeys of(String prefix, String queue) {
		String tagged = tagged(queue);
		Map<ScriptKey, String> names = new EnumMap<>(ScriptKey.class);
		for (ScriptKey key : ScriptKey.values()) {
			String name = key.of(prefix, tagged);
			if (name != null) {
				names.put(key, name);
			}
		}
		return new QueueKeys(queue, prefix + ":" + tagged + ":sent:", names);
	}

	/**
	 * All groups of a topic share its hash tag, so that one script reaches them all.
	 */
	private static String tagged(String queue) {
		return GroupName.isGroup(queue)
				? "{" + GroupName.topicOf(queue) + "}" + GroupName.ofTopic("") + GroupName.groupOf(queue)
				: "{" + queue + "}";
	}

	/**
	 * Returns these keys and another one.
	 * @param key a key that is not the queue's
	 * @param name its name in Redis
	 * @return the keys
	 */
	public QueueKeys with(ScriptKey key, String name) {
		Map<ScriptKey, String> more = new EnumMap<>(this.names);
		more.put(key, name);
		return new QueueKeys(this.queue, this.sentPrefix, more);
	}

	/**
	 * Returns these keys and that of a lane's last request.
	 */
	public QueueKeys sentBy(String lane) {
		return with(ScriptKey.SENT, sent(lane));
	}

	/**
	 * Returns the keys of a script in the order in which it declares them. The last ones
	 * need not have been named.
	 * @param script the script
	 * @return their names in Redis
	 */
	public List<Object> of(Script script) {
		return of(declared(script), null);
	}

	/**
	 * Returns the first keys of a script.
	 * @param last the last one of them
	 * @param lane the lane that sends, if the first key is that of its last request
	 */
	public List<Object> of(Script script, ScriptKey last, @Nullable String lane) {
		List<ScriptKey> declared = declared(script);
		return of(declared.subList(0, declared.indexOf(last) + 1), (lane != null) ? sent(lane) : null);
	}

	private static List<ScriptKey> declared(Script script) {
		List<ScriptKey> declared = LuaScripts.load().keys(script);
		if (declared.isEmpty()) {
			throw new IllegalStateException("The script " + script + " does not name its keys");
		}
		return declared;
	}

	private List<Object> of(List<ScriptKey> declared, @Nullable String sent) {
		List<Object> all = new ArrayList<>(declared.size());
		int place = 0;
		for (ScriptKey key : declared) {
			String name = (sent != null && key == ScriptKey.SENT) ? sent : this.names.get(key);
			if (name != null) {
				if (all.size() != place) {
					throw new IllegalStateException("A key before '" + key.text() + "' was not named");
				}
				all.add(name);
			}
			place++;
		}
		return all;
	}

	String of(ScriptKey key) {
		String name = this.names.get(key);
		if (name == null) {
			throw new IllegalStateException("No key '" + key.text() + "' of the queue '" + this.queue + "' was named");
		}
		return name;
	}

	/**
	 * Returns the keys of the scripts that are sent within the one that steers messages.
	 * @param first the key of the lane's last request, or what stands in its place
	 */
	public List<Object> steered(String first) {
		return with(ScriptKey.SENT, first).of(Script.STEER);
	}

	/**
	 * Returns whether a script can name keys of both queues on a cluster.
	 */
	public boolean sharesSlot(QueueKeys other) {
		return tag().equals(other.tag());
	}

	private String tag() {
		return messages().substring(0, messages().indexOf('}'));
	}

	public String sent(String lane) {
		return this.sentPrefix + lane;
	}

	public String queue() {
		return this.queue;
	}

	public String messages() {
		return of(ScriptKey.MESSAGES);
	}

	public String lanes() {
		return of(ScriptKey.LANES);
	}

	public String known() {
		return of(ScriptKey.KNOWN);
	}

	public String outbox() {
		return of(ScriptKey.OUTBOX);
	}

	public String recurring() {
		return of(ScriptKey.RECURRING);
	}

	public String inlet() {
		return of(ScriptKey.INLET);
	}

}
