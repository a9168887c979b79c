package io.redelay.lock;

/**
 * What is locked, as it is told apart inside this JVM: two applications in it may use the
 * same key on different servers.
 *
 * @param owner whose key it is
 * @param key the key in Redis
 * @since 0.1.0
 */
public record LockKey(Object owner, String key) {

	/**
	 * Makes a key. All that Redisson derives from it must stay in one slot of a cluster,
	 * so the name becomes the hash tag, in which braces would end it.
	 */
	public static LockKey of(Object owner, String prefix, String family, String name) {
		return new LockKey(owner, prefix + ":" + family + ":{" + escape(name) + "}");
	}

	/**
	 * The part of the key that keeps a provider's locks apart from those of others and
	 * from the built-in ones.
	 */
	static String family(String provider) {
		String escaped = escape(provider);
		escaped = (escaped.indexOf(':') < 0) ? escaped : escaped.replace(":", "%3A");
		return switch (escaped) {
			case "lock" -> "%6Cock";
			case "rwlock" -> "%72wlock";
			default -> escaped;
		};
	}

	/**
	 * Writes what would end the hash tag, and what it is written with, so that different
	 * texts stay different.
	 */
	private static String escape(String text) {
		if (text.indexOf('{') < 0 && text.indexOf('}') < 0 && text.indexOf('%') < 0) {
			return text;
		}
		return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

}
