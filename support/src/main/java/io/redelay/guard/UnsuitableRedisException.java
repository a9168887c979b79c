package io.redelay.guard;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown at start-up if the Redis server is not set up as it must be, and the application
 * is not to start then.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial") // the findings are not serialized
public class UnsuitableRedisException extends RuntimeException {

	private final transient List<Finding> findings;

	/**
	 * Creates an exception.
	 * @param findings what is wrong
	 */
	public UnsuitableRedisException(List<Finding> findings) {
		super(findings.stream().map(Finding::toString).collect(Collectors.joining(" ")));
		this.findings = List.copyOf(findings);
	}

	public List<Finding> getFindings() {
		return this.findings;
	}

}
