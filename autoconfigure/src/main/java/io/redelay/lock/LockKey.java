package io.redelay.lock;

/**
 * What is locked, as it is told apart inside this JVM: two applications in it may use the
 * same key on different servers.
 *
 * @param owner whose key it is
 * @param key the key in Redis
 */
record LockKey(Object owner, String key) {

	/**
	 * Makes a key. All that Redisson derives from it must stay in one slot of a cluster,
	 * so the name becomes the hash tag, in which braces would end it.
	 */
	static LockKey of(Object owner, String prefix, String family, String name) {
		return new LockKey(owner, prefix + ":" + family + ":{" + escape(name) + "}");
	}

	private static String escape(String name) {
		if (name.indexOf('{') < 0 && name.indexOf('}') < 0) {
			return name;
		}
		return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

}
