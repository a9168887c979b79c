package io.redelay.guide;

/**
 * Says what is wrong with the source of the guide.
 */
class GuideException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	GuideException(String message) {
		super(message);
	}

}
