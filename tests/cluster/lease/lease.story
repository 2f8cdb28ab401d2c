# A quiet life: a heartbeat every fifth of the timeout, each good answer counted from its send time.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 tick           -> held, serves until 800, confirms by 900; ask
200 sent           -> held, serves until 800, confirms by 900; wait until 400
230 alive 200      -> held, serves until 1000, confirms by 1100; wait until 400
400 sent           -> held, serves until 1000, confirms by 1100; wait until 600
401 alive 400      -> held, serves until 1200, confirms by 1300; wait until 600

# L6: the lock service is away. Serving goes on to the deadline, stops, and nobody exits; when it is
# back and the session has survived (no quorum, no expiry), serving goes on.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
210 no-answer      -> held, serves until 800, confirms by 900; wait until 400
400 sent           -> held, serves until 800, confirms by 900; wait until 600
410 no-answer      -> held, serves until 800, confirms by 900; wait until 600
600 sent           -> held, serves until 800, confirms by 900; wait until 800
610 no-answer      -> held, serves until 800, confirms by 900; wait until 800
800 tick           -> silent, does not serve; ask
800 sent           -> silent, does not serve; wait until 1000
1100 no-answer     -> silent, does not serve; ask
1100 sent          -> silent, does not serve; wait until 1300
9000 no-answer     -> silent, does not serve; ask
9000 sent          -> silent, does not serve; wait until 9200
9010 alive 9000    -> held, serves until 9800, confirms by 9900; wait until 9200

# L1: the session has expired. Serving stops at the answer, a new session gets the file's lock back.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
205 over           -> lost, does not serve; regain
205 sent           -> lost, does not serve; wait until 405
240 alive 206      -> held, serves until 1006, confirms by 1106; wait until 405

# L1, L2: the file is gone, by the master or by an administrator: the tablets are being given away.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
205 gone           -> gone, does not serve; end
400 alive 399      -> gone, does not serve; end

# L1: the master has the lock and is about to remove the file; trying goes on until it has.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
205 over           -> lost, does not serve; regain
205 sent           -> lost, does not serve; wait until 405
210 over           -> lost, does not serve; wait until 405
405 sent           -> lost, does not serve; wait until 605
410 over           -> lost, does not serve; wait until 605
605 sent           -> lost, does not serve; wait until 805
610 gone           -> gone, does not serve; end

# L3, C6: the process was frozen for an hour, the first thing it does is look at the clock.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
3600000 tick       -> silent, does not serve; ask
3600000 sent       -> silent, does not serve; wait until 3600200
3600004 over       -> lost, does not serve; regain
3600004 sent       -> lost, does not serve; wait until 3600204
3600008 gone       -> gone, does not serve; end

# An answer that took longer than the lease is good for nothing: it is counted from its send time.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
1050 alive 200     -> silent, does not serve; ask
1050 sent          -> silent, does not serve; wait until 1250
1060 alive 1050    -> held, serves until 1850, confirms by 1950; wait until 1250

# Answers that overtake each other: the older one takes nothing back.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
400 sent           -> held, serves until 800, confirms by 900; wait until 600
410 alive 400      -> held, serves until 1200, confirms by 1300; wait until 600
420 alive 200      -> held, serves until 1200, confirms by 1300; wait until 600

# The driver hangs in a call from 200 on: nobody confirms by 900, so the watchdog counts from there.
0 start 1000       -> held, serves until 800, confirms by 900; wait until 200
200 sent           -> held, serves until 800, confirms by 900; wait until 400
