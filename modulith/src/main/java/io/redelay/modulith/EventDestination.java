package io.redelay.modulith;

/**
 * Where an event goes: {@code orders} and {@code queue:orders} are the queue
 * {@code orders}, {@code topic:orders} is the topic of that name.
 *
 * @param name the name
 * @param topic whether it is a topic
 */
record EventDestination(String name, boolean topic) {

	private static final String QUEUE = "queue:";

	private static final String TOPIC = "topic:";

	/**
	 * Reads a target. Modulith's own target for an event without one is made of a class
	 * name, in which the name of a nested class has a character that a queue's may not
	 * have.
	 */
	static EventDestination of(String target) {
		String name = target.strip();
		boolean topic = name.startsWith(TOPIC);
		if (topic || name.startsWith(QUEUE)) {
			name = name.substring(name.indexOf(':') + 1).strip();
		}
		return new EventDestination(name.replace('$', '.'), topic);
	}

}
