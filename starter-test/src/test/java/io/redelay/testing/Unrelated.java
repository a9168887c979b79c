package io.redelay.testing;

import org.springframework.stereotype.Service;

/**
 * A part of the application that has nothing to do with queues.
 */
@Service
class Unrelated {

}
