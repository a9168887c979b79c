package io.redelay.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test, or each of a class, leaves queues that are not sound, for it writes to Redis
 * what Redelay would not. The queues of all other tests are checked, see
 * {@link TestRedis}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface UnsoundQueues {

	/**
	 * What is written.
	 * @return the reason
	 */
	String value();

}
