package io.redelay.queue.wire;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import io.redelay.queue.limits.GroupName;

import org.springframework.util.Assert;

/**
 * The names of all keys of one queue, which share a hash tag and so a slot.
 */
public final class QueueKeys {

	private static final EnumSet<ScriptKey> INDEX = EnumSet.range(ScriptKey.KEYS, ScriptKey.COMPLETED_TAGS);

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
	QueueKeys with(ScriptKey key, String name) {
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
		List<ScriptKey> declared = LuaScripts.load().keys(script);
		Assert.state(!declared.isEmpty(), () -> "The script " + script + " does not name its keys");
		return of(declared);
	}

	private List<Object> of(Collection<ScriptKey> declared) {
		List<Object> all = new ArrayList<>(declared.size());
		int place = 0;
		for (ScriptKey key : declared) {
			String name = this.names.get(key);
			if (name != null) {
				Assert.state(all.size() == place, () -> "A key before '" + key.text() + "' was not named");
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
	 * Returns all keys but those of senders, as {@code delete.lua} has them.
	 */
	public List<Object> all() {
		return of(Script.DELETE);
	}

	/**
	 * Returns all keys but those of senders, as {@code forget-queue.lua} has them.
	 */
	public List<Object> forForgetting() {
		return of(Script.FORGET_QUEUE);
	}

	/**
	 * Returns the keys of the scripts that are sent within the one that steers messages.
	 * @param first the key of the lane's last request, or what stands in its place
	 */
	public List<Object> steered(String first) {
		return with(ScriptKey.SENT, first).of(Script.STEER);
	}

	/**
	 * Returns the keys of a script, and behind them the keys that a plain queue does not
	 * use. A queue uses these once a message had a key, a priority, tags or a
	 * deduplication, or a listener a limit. So does a queue that has an outbox, retains
	 * completed messages, or keeps the progress of long work.
	 */
	public List<Object> withIndex(String... first) {
		List<Object> all = new ArrayList<>(List.of(first));
		all.addAll(of(INDEX));
		return all;
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

	public String ready() {
		return of(ScriptKey.READY);
	}

	public String suspects() {
		return of(ScriptKey.SUSPECTS);
	}

	public String scheduled() {
		return of(ScriptKey.SCHEDULED);
	}

	public String held() {
		return of(ScriptKey.HELD);
	}

	public String lanes() {
		return of(ScriptKey.LANES);
	}

	public String tries() {
		return of(ScriptKey.TRIES);
	}

	public String dead() {
		return of(ScriptKey.DEAD);
	}

	public String deadMessages() {
		return of(ScriptKey.DEAD_MESSAGES);
	}

	public String ids() {
		return of(ScriptKey.IDS);
	}

	public String sleepers() {
		return of(ScriptKey.SLEEPERS);
	}

	public String meta() {
		return of(ScriptKey.META);
	}

	public String cancelled() {
		return of(ScriptKey.CANCELLED);
	}

	public String history() {
		return of(ScriptKey.HISTORY);
	}

	public String deadIds() {
		return of(ScriptKey.DEAD_IDS);
	}

	public String past() {
		return of(ScriptKey.PAST);
	}

	public String expiries() {
		return of(ScriptKey.EXPIRIES);
	}

	public String known() {
		return of(ScriptKey.KNOWN);
	}

	String keys() {
		return of(ScriptKey.KEYS);
	}

	String order() {
		return of(ScriptKey.ORDER);
	}

	public String waiting() {
		return of(ScriptKey.WAITING);
	}

	String blocked() {
		return of(ScriptKey.BLOCKED);
	}

	String busy() {
		return of(ScriptKey.BUSY);
	}

	String gates() {
		return of(ScriptKey.GATES);
	}

	public String outbox() {
		return of(ScriptKey.OUTBOX);
	}

	public String completed() {
		return of(ScriptKey.COMPLETED);
	}

	public String completedMessages() {
		return of(ScriptKey.COMPLETED_MESSAGES);
	}

	public String work() {
		return of(ScriptKey.WORK);
	}

	String tags() {
		return of(ScriptKey.TAGS);
	}

	String completedTags() {
		return of(ScriptKey.COMPLETED_TAGS);
	}

	public String handed() {
		return of(ScriptKey.HANDED);
	}

	String bundles() {
		return of(ScriptKey.BUNDLES);
	}

	public String recurring() {
		return of(ScriptKey.RECURRING);
	}

	String stats() {
		return of(ScriptKey.STATS);
	}

	String redrive() {
		return of(ScriptKey.REDRIVE);
	}

	public String idle() {
		return of(ScriptKey.IDLE);
	}

	public String inlet() {
		return of(ScriptKey.INLET);
	}

}
