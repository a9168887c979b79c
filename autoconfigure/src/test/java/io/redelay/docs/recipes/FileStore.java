package io.redelay.docs.recipes;

import java.net.URI;

/**
 * Stands for a place for large files.
 */
interface FileStore {

	URI put(byte[] content);

	byte[] get(URI place);

}
