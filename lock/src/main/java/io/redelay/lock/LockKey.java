package io.redelay.lock;

/**
 * The identity of a lock inside this JVM. Two applications in one JVM may use the same
 * key on different servers, so the owner is part of it.
 *
 * @param owner the application's table of providers
 * @param key the key in Redis
 * @since 0.1.0
 */
public record LockKey(Object owner, String key) {

	/**
	 * Creates the key of a name. All keys that Redisson derives from it must be in one
	 * slot of a cluster, so the name becomes the hash tag; braces in it are escaped.
	 */
	public static LockKey of(Object owner, String prefix, String family, String name) {
		return new LockKey(owner, prefix + ":" + family + ":{" + escape(name) + "}");
	}

	/**
	 * Returns the part of the key that separates the locks of a named provider from the
	 * locks of other providers and from the built-in ones.
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
	 * Escapes braces and the escape character, so that different names have different
	 * keys.
	 */
	private static String escape(String text) {
		if (text.indexOf('{') < 0 && text.indexOf('}') < 0 && text.indexOf('%') < 0) {
			return text;
		}
		return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

}
