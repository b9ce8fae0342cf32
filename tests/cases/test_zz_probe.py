from ..journeys.staging import open_stage

def test_x():
    assert open_stage
